#pragma once

namespace gktune::sqlite {

class Database;

// Rolls back unless it is committed. The Database must outlive it.
class Transaction {
 public:
  enum class Kind {
    read,   // sees one state of the file while other programs write
    write,  // takes the lock at once, so that no later statement has to wait
  };

  Transaction(Database& database, Kind kind);
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction();

  void commit();

 private:
  Database& database_;
  bool is_open_ = true;
};

}  // namespace gktune::sqlite

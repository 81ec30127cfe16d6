#pragma once

namespace gktune::sqlite {

class Database;

// All or nothing: what is not committed is undone. Asks for a Database that outlives it.
class Transaction {
 public:
  enum class Kind {
    read,   // one state of the file, whatever others write meanwhile
    write,  // takes the lock at once, so that it waits here and nowhere later
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

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace gktune::sql {

class Cursor;

// One connection to one database of any engine. SQL is SQLite's; the other engines translate it. Throws
// Failure.
class Connection {
 public:
  enum class Begin {
    read,   // sees one state of the database while other programs write
    write,  // takes the lock of a file at once, so that no later statement has to wait
    alone,  // other programs may read but not write
  };

  virtual ~Connection() = default;

  // Runs statements that return no rows.
  virtual void execute(const std::string& sql) = 0;
  virtual std::unique_ptr<Cursor> prepare(std::string_view sql) const = 0;
  // The first column of the first row.
  std::int64_t integer(const std::string& sql) const;
  std::string text(const std::string& sql) const;

  virtual std::int64_t changes() const = 0;  // rows that the latest statement added, changed or removed
  virtual std::size_t most_parameters() const = 0;  // of a statement
  // The clock for what programs on several hosts compare, in milliseconds since 1970.
  virtual std::int64_t now_ms() const = 0;

  virtual void begin(Begin kind) = 0;
  virtual void commit() = 0;
  virtual void roll_back() noexcept = 0;

  // The first finding of a check of the file; empty if there is none.
  virtual std::string quick_check() { return ""; }
  // Gives the space of removed rows back, if that is worth the while and possible now.
  virtual void shrink() {}

 protected:
  Connection() = default;
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;
  Connection(Connection&&) = default;
  Connection& operator=(Connection&&) = default;
};

// Rolls back unless it is committed. The Connection must outlive it.
class Transaction {
 public:
  using Kind = Connection::Begin;

  Transaction(Connection& connection, Kind kind) : connection_(connection) { connection_.begin(kind); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (is_open_) connection_.roll_back();
  }

  void commit() {
    connection_.commit();
    is_open_ = false;
  }

 private:
  Connection& connection_;
  bool is_open_ = true;
};

}  // namespace gktune::sql

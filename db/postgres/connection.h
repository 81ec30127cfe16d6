#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "db/postgres/libpq.h"
#include "db/sql/connection.h"

namespace gktune::postgres {

// postgresql://… or postgres://…
bool is_uri(std::string_view name);
// For messages: a password is left out.
std::string shown(const std::string& uri);

struct ClearResult {
  void operator()(PGresult* result) const { libpq().clear(result); }
};
using ResultPtr = std::unique_ptr<PGresult, ClearResult>;

// A value for a parameter. The server knows its type from the statement.
struct Parameter {
  std::optional<std::string> text;  // or bytes; none: NULL
  bool is_bytes = false;
};

// A connection to a server, in the schema gktune of a database. A connection that was lost is made again
// before the next statement that is outside a transaction.
class Connection : public sql::Connection {
 public:
  // Throws if the URI holds a password: other users could read it in the list of processes.
  Connection(const std::string& uri, std::chrono::milliseconds patience);

  void execute(const std::string& sql) override;
  std::unique_ptr<sql::Cursor> prepare(std::string_view sql) const override;
  std::int64_t changes() const override { return changes_; }
  std::size_t most_parameters() const override { return 10'000; }
  std::int64_t now_ms() const override;
  void begin(Begin kind) override;
  void commit() override;
  void roll_back() noexcept override;

  // For cursors: runs a statement, which is prepared once.
  ResultPtr run(const std::string& sql, const std::vector<Parameter>& parameters) const;

 private:
  struct Finish {
    void operator()(PGconn* connection) const { libpq().finish(connection); }
  };

  void require_connected() const;
  void begin_connection() const;
  ResultPtr checked(PGresult* result) const;
  void count_changes(PGresult* result) const;

  std::chrono::milliseconds patience_;
  std::unique_ptr<PGconn, Finish> handle_;
  bool is_in_transaction_ = false;
  mutable std::int64_t changes_ = 0;
  mutable std::int64_t ahead_ms_ = 0;                    // the server's clock is ahead of that of this host
  mutable std::map<std::string, std::string> translated_;  // from the SQL of SQLite
  mutable std::map<std::string, std::string> prepared_;  // names of prepared statements by their SQL
};

// Whether the database has the schema of this version of gktune. Throws if it has that of another one.
bool has_schema(const Connection& connection);
// Creates it if there is none.
void create_schema(Connection& connection);

}  // namespace gktune::postgres

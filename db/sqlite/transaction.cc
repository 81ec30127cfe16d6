#include "db/sqlite/transaction.h"

#include <sqlite3.h>

#include "db/sqlite/database.h"

namespace gktune::sqlite {

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // After some errors, such as a full disk, SQLite has rolled back already: ignore the result.
  if (is_open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  is_open_ = false;
}

}  // namespace gktune::sqlite

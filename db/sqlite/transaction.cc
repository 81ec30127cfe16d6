#include "db/sqlite/transaction.h"

#include <sqlite3.h>

#include "db/sqlite/database.h"

namespace gktune::sqlite {

Transaction::Transaction(Database& database, Kind kind) : database_(database) {
  database_.execute(kind == Kind::write ? "BEGIN IMMEDIATE" : "BEGIN");
}

Transaction::~Transaction() {
  // SQLite itself has undone it where a disk was full; nothing else can be done here about a failure.
  if (is_open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void Transaction::commit() {
  database_.execute("COMMIT");
  is_open_ = false;
}

}  // namespace gktune::sqlite

#include "db/sqlite/failure.h"

#include <sqlite3.h>

namespace gktune::sqlite {

bool Failure::is_busy() const { return (code_ & 0xff) == SQLITE_BUSY; }

bool Failure::is_cannot_open() const { return (code_ & 0xff) == SQLITE_CANTOPEN; }

}  // namespace gktune::sqlite

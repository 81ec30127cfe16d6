#include "db/sqlite/failure.h"

#include <sqlite3.h>

namespace gktune::sqlite {

bool Failure::is_busy() const { return (code_ & 0xff) == SQLITE_BUSY; }

bool Failure::is_damage() const { return code_ == 0 || (code_ & 0xff) == SQLITE_CORRUPT; }

bool Failure::is_without_access() const {
  return (code_ & 0xff) == SQLITE_CANTOPEN || (code_ & 0xff) == SQLITE_READONLY;
}

bool Failure::is_out_of_space() const {
  return (code_ & 0xff) == SQLITE_FULL || code_ == SQLITE_IOERR_WRITE || code_ == SQLITE_IOERR_TRUNCATE ||
         code_ == SQLITE_IOERR_SHMSIZE;
}

}  // namespace gktune::sqlite

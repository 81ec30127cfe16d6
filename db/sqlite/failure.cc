#include "db/sqlite/failure.h"

#include <sqlite3.h>

namespace gktune::sqlite {

static_assert(Failure::kDamagedFile == SQLITE_CORRUPT && Failure::kMissing == SQLITE_NOTFOUND &&
              Failure::kForeignFile == SQLITE_NOTADB);

ErrorCode Failure::error_code() const {
  switch (code_ & 0xff) {
    case kDamagedFile:
    case kForeignFile:
      return ErrorCode::damaged;
    case kMissing:
      return ErrorCode::not_found;
    case SQLITE_NOMEM:
      return ErrorCode::out_of_memory;
    default:
      return ErrorCode::failed;
  }
}

bool Failure::is_busy() const { return (code_ & 0xff) == SQLITE_BUSY; }

bool Failure::is_interrupted() const { return (code_ & 0xff) == SQLITE_INTERRUPT; }

bool Failure::is_constraint() const { return (code_ & 0xff) == SQLITE_CONSTRAINT; }

bool Failure::is_without_access() const {
  return (code_ & 0xff) == SQLITE_CANTOPEN || (code_ & 0xff) == SQLITE_READONLY;
}

bool Failure::is_out_of_space() const {
  return (code_ & 0xff) == SQLITE_FULL || code_ == SQLITE_IOERR_WRITE || code_ == SQLITE_IOERR_TRUNCATE ||
         code_ == SQLITE_IOERR_SHMSIZE;
}

std::string describe(const std::string& name, const Failure& failure) {
  std::string text = name + ": " + failure.what();
  if (failure.is_damaged_file())
    text += "; `gktune db repair --db " + name + "` copies the readable rows to a new file";
  return text;
}

}  // namespace gktune::sqlite

#include "db/sql/failure.h"

namespace gktune::sql {

ErrorCode Failure::error_code() const {
  switch (cause_) {
    case Cause::damaged_file:
    case Cause::foreign_file:
      return ErrorCode::damaged;
    case Cause::missing:
      return ErrorCode::not_found;
    case Cause::no_memory:
      return ErrorCode::out_of_memory;
    default:
      return ErrorCode::failed;
  }
}

std::string describe(const std::string& name, const Failure& failure) {
  std::string text = name + ": " + failure.what();
  if (failure.is(Failure::Cause::damaged_file))
    text += "; `gktune db repair --db " + name + "` copies the readable rows to a new file";
  return text;
}

}  // namespace gktune::sql

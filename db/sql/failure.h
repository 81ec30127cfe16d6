#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "gktune/result.h"

namespace gktune::sql {

// An error of a database, or a row that cannot be read, in words. Thrown inside db/ only; its public
// functions return it as an Error.
class Failure : public std::runtime_error {
 public:
  enum class Cause {
    other,         // the statement or the contents are invalid
    damaged_file,  // or rows that cannot be read
    foreign_file,  // it is no database
    missing,       // there is no file, or nothing in it
    busy,          // another program holds a lock
    interrupted,   // a statement exceeded the limit of its work
    constraint,    // a row breaks a rule of the schema
    no_access,     // a needed file cannot be opened, or not for writing
    no_space,      // on the disk, or because of a limit on file sizes
    no_memory,
    disconnected,  // the server, or the way to it, is gone
  };

  explicit Failure(const std::string& message, Cause cause = Cause::other)
      : std::runtime_error(message), cause_(cause) {}
  Cause cause() const { return cause_; }
  bool is(Cause cause) const { return cause_ == cause; }
  ErrorCode error_code() const {
    if (is(Cause::damaged_file) || is(Cause::foreign_file)) return ErrorCode::damaged;
    if (is(Cause::missing)) return ErrorCode::not_found;
    return is(Cause::no_memory) ? ErrorCode::out_of_memory : ErrorCode::failed;
  }

 private:
  Cause cause_;
};

// The failure of the database `name` in words, and the command that helps.
inline std::string describe(const std::string& name, const Failure& failure) {
  const std::string text = name + ": " + failure.what();
  if (!failure.is(Failure::Cause::damaged_file)) return text;
  return text + "; `gktune db repair --db " + name + "` copies the readable rows to a new file";
}

// Runs a function on the database `name` and turns a Failure into an Error.
template <class Function>
auto guarded(const std::string& name, Function function) -> Result<std::invoke_result_t<Function>> {
  try {
    if constexpr (std::is_void_v<std::invoke_result_t<Function>>) {
      function();
      return {};
    } else {
      return function();
    }
  } catch (const Failure& failure) {
    return Error{describe(name, failure), failure.error_code()};
  } catch (const std::filesystem::filesystem_error& failure) {
    return Error{name + ": " + failure.code().message()};
  }
}

}  // namespace gktune::sql

#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "gktune/result.h"

namespace gktune::sqlite {

// An error of SQLite, or a row that cannot be read, in words. Thrown inside db/ only; its public functions
// return it as an Error.
class Failure : public std::runtime_error {
 public:
  // Codes of SQLite.
  static constexpr int kDamagedFile = 11;   // SQLITE_CORRUPT
  static constexpr int kMissing = 12;       // SQLITE_NOTFOUND: there is no file, or nothing in it
  static constexpr int kForeignFile = 26;   // SQLITE_NOTADB

  explicit Failure(const std::string& message, int code = 0) : std::runtime_error(message), code_(code) {}
  bool is_busy() const;
  bool is_damaged_file() const { return (code_ & 0xff) == kDamagedFile; }
  bool is_interrupted() const;     // a statement exceeded the limit of its work
  bool is_constraint() const;      // a row breaks a rule of the schema
  bool is_without_access() const;  // a needed file cannot be opened, or not for writing
  ErrorCode error_code() const;
  bool is_out_of_space() const;    // on the disk, or because of a limit on file sizes

 private:
  int code_;  // SQLite's; 0: the contents are invalid
};

// The failure of the database `name` in words, and the command that helps.
std::string describe(const std::string& name, const Failure& failure);

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

}  // namespace gktune::sqlite

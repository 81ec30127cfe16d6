#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "tuner/core/result.h"

namespace gktune::sqlite {

// An error of SQLite in words. Thrown inside db/ only; its public functions return it as an Error.
class Failure : public std::runtime_error {
 public:
  static constexpr int kNewer = -1;  // the code of sound contents that this version does not know

  explicit Failure(const std::string& message, int code = 0) : std::runtime_error(message), code_(code) {}
  bool is_busy() const;
  bool is_damage() const;          // what was read is invalid
  bool is_without_access() const;  // a needed file cannot be opened, or not for writing

 private:
  int code_;  // SQLite's; 0: the contents are invalid
};

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
    return Error{name + ": " + failure.what()};
  } catch (const std::filesystem::filesystem_error& failure) {
    return Error{name + ": " + failure.code().message()};
  }
}

}  // namespace gktune::sqlite

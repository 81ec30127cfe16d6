#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "tuner/core/result.h"

namespace gktune::sqlite {

// An error of SQLite in words. Thrown inside db/ only; its public functions return it as an Error.
class Failure : public std::runtime_error {
 public:
  static constexpr int kNewer = -1;        // the code of sound contents that this version does not know
  static constexpr int kDamagedFile = 11;  // the code of damaged pages or a damaged schema: SQLITE_CORRUPT

  // Inline, because libraries without SQLite read rows of JSON with it.
  explicit Failure(const std::string& message, int code = 0)
      : std::runtime_error(message), code_(code), is_repairable_((code & 0xff) == kDamagedFile) {}
  bool is_busy() const;
  bool is_damage() const;          // the contents that were read are invalid
  bool is_without_access() const;  // a needed file cannot be opened, or not for writing
  bool is_out_of_space() const;    // on the disk, or because of a limit on file sizes
  // True: `gktune db repair` accepts the file. Messages and hints ask this alone.
  bool is_repairable() const { return is_repairable_; }
  void refuse_repair() { is_repairable_ = false; }

 private:
  int code_;  // SQLite's; 0: the contents are invalid
  bool is_repairable_;
};

// The failure of the database `name` in words, and the command that helps.
std::string describe(const std::string& name, const Failure& failure);

// The result of a function that reads a row, or `true` of one that returns nothing. Without a value if
// the row is damaged: then `on_damage` gets the Failure. A damaged row hides no other; every other
// Failure goes on to the caller.
template <class Function, class OnDamage>
auto unless_damaged(Function function, OnDamage on_damage) {
  using Returned = std::invoke_result_t<Function>;
  using Value = std::conditional_t<std::is_void_v<Returned>, std::true_type, Returned>;
  std::optional<Value> value;
  try {
    if constexpr (std::is_void_v<Returned>) {
      function();
      value.emplace();
    } else {
      value.emplace(function());
    }
  } catch (const Failure& failure) {
    if (!failure.is_damage()) throw;
    on_damage(failure);
  }
  return value;
}

template <class Function>
auto unless_damaged(Function function) {
  return unless_damaged(std::move(function), [](const Failure&) {});
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
    return Error{describe(name, failure)};
  } catch (const std::filesystem::filesystem_error& failure) {
    return Error{name + ": " + failure.code().message()};
  }
}

}  // namespace gktune::sqlite

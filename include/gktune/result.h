#pragma once

#if __cplusplus <= 201703L
#error "gktune needs C++20: compile with -std=c++20"
#endif

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace gktune {

// The kinds of failures. C has the same numbers: gktune_code.
enum class ErrorCode {
  invalid_argument = 1,  // of the call, or in a file that a person wrote
  failed = 2,            // none of the others: a full disk, missing permissions
  no_configuration = 3,  // none answers, or none works
  out_of_memory = 4,
  not_found = 5,  // a file, a kernel
  damaged = 6,    // a file that is cut or foreign
  no_device = 7,
  compile_failed = 8,
  launch_failed = 9,
  context_lost = 10,  // of CUDA: only a new process has another
};

// The reason of an expected failure, in words for the user.
struct Error {
  std::string message;
  ErrorCode code = ErrorCode::failed;
  int native = 0;  // CUDA's code (CUresult), or the system's (errno); 0: there is none
};

// Thrown by Result::value() of an error.
struct BadResult : std::runtime_error {
  explicit BadResult(Error reason) : std::runtime_error(reason.message), error(std::move(reason)) {}
  Error error;
};

template <class E>
[[noreturn]] void throw_bad_result(const E& error) {
  if constexpr (std::is_same_v<E, Error>) throw BadResult(error);
  if constexpr (requires { error.message; }) throw BadResult({error.message});
  throw BadResult({"there is no value"});
}

// A value, or the reason why there is none.
template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  // Throws BadResult if there is no value.
  T& value() & { return require(), std::get<0>(state_); }
  const T& value() const& { return require(), std::get<0>(state_); }
  T&& value() && { return require(), std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const E& error() const& { return std::get<1>(state_); }
  E&& error() && { return std::get<1>(std::move(state_)); }

 private:
  void require() const { ok() ? void() : throw_bad_result(error()); }

  std::variant<T, E> state_;
};

template <class E>
class [[nodiscard]] Result<void, E> : public Result<std::monostate, E> {
 public:
  Result() : Result<std::monostate, E>(std::monostate()) {}
  Result(E error) : Result<std::monostate, E>(std::move(error)) {}
};

}  // namespace gktune

// The value of a Result. If there is none, the function that holds this expression returns the error. Use it
// as a whole statement, for an initial value, or on the right of an assignment.
#define GKTUNE_TRY(...) GKTUNE_TRY_NUMBERED(__COUNTER__, __VA_ARGS__)
#define GKTUNE_TRY_NUMBERED(...) GKTUNE_TRY_NAMED(__VA_ARGS__)
#define GKTUNE_TRY_NAMED(number, ...)                                              \
  __extension__({                                                                  \
    auto gktune_result_##number = (__VA_ARGS__);                                   \
    if (!gktune_result_##number) return std::move(gktune_result_##number).error(); \
    *std::move(gktune_result_##number);                                            \
  })

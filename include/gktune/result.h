#pragma once

#if __cplusplus <= 201703L
#error "gktune needs C++20: compile with -std=c++20"
#endif

#include <string>
#include <utility>
#include <variant>

namespace gktune {

// The reason of an expected failure, in words for the user.
struct Error {
  std::string message;
};

// A value, or the reason why there is none.
template <class T, class E = Error>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(E error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const E& error() const& { return std::get<1>(state_); }
  E&& error() && { return std::get<1>(std::move(state_)); }

 private:
  std::variant<T, E> state_;
};

template <class E>
class [[nodiscard]] Result<void, E> {
 public:
  Result() = default;
  Result(E error) : error_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return error_.index() == 0; }
  explicit operator bool() const { return ok(); }
  const E& error() const& { return std::get<1>(error_); }
  E&& error() && { return std::get<1>(std::move(error_)); }

 private:
  std::variant<std::monostate, E> error_;
};

}  // namespace gktune

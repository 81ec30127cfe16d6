#pragma once

#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace gktune {

// Value of a parameter, a problem axis or an expression.
class Value {
 public:
  enum class Kind { boolean, integer, real, text };

  Value() : value_(std::int64_t{0}) {}
  template <std::same_as<bool> T>  // only booleans: pointers would convert too
  Value(T value) : value_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) Value(T value) : value_(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  Value(T value) : value_(static_cast<double>(value)) {}
  Value(std::string value) : value_(std::move(value)) {}
  Value(std::string_view value) : value_(std::string(value)) {}
  Value(const char* value) : value_(std::string(value)) {}

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is_boolean() const { return kind() == Kind::boolean; }
  bool is_integer() const { return kind() == Kind::integer; }
  bool is_real() const { return kind() == Kind::real; }
  bool is_text() const { return kind() == Kind::text; }
  bool is_number() const { return is_integer() || is_real(); }

  // Requires that the value has this kind.
  bool boolean() const { return std::get<bool>(value_); }
  std::int64_t integer() const { return std::get<std::int64_t>(value_); }
  double real() const { return std::get<double>(value_); }
  const std::string& text() const { return std::get<std::string>(value_); }
  // An integer or a real, as a double.
  double number() const { return is_integer() ? static_cast<double>(integer()) : real(); }

  // The text for C++ sources and tables: true, 256, 0.5, float.
  std::string str() const;
  // The JSON text; different values have different texts.
  std::string json() const;

  // Equal if kind and number are equal: 1, 1.0 and true are three values.
  friend bool operator==(const Value&, const Value&) = default;
  friend auto operator<=>(const Value&, const Value&) = default;

 private:
  std::variant<bool, std::int64_t, double, std::string> value_;
};

// "..." with JSON's escapes.
std::string json_quote(std::string_view text);

}  // namespace gktune

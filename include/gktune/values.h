#pragma once

#if __cplusplus <= 201703L
#error "gktune needs C++20: compile with -std=c++20"
#endif

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gktune {

// A boolean, a number or a text. The text is owned (std::string) or not (std::string_view).
template <class Text>
class AnyValue {
 public:
  AnyValue() : value_(std::int64_t{0}) {}
  template <std::same_as<bool> T>  // only booleans: pointers would convert too
  AnyValue(T value) : value_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) AnyValue(T value) : value_(static_cast<std::int64_t>(value)) {
    // Larger than any integer: the nearest real.
    if (value > T{0} && static_cast<std::int64_t>(value) < 0) value_ = static_cast<double>(value);
  }
  template <std::floating_point T>
  AnyValue(T value) : value_(static_cast<double>(value)) {}
  AnyValue(const char* value) : value_(Text(value)) {}
  AnyValue(std::string_view value) : value_(Text(value)) {}

 protected:
  std::variant<bool, std::int64_t, double, Text> value_;
};

// Value of a parameter, a problem axis or an expression.
class Value : public AnyValue<std::string> {
 public:
  enum class Kind { boolean, integer, real, text };

  using AnyValue::AnyValue;
  Value(std::string value) { value_ = std::move(value); }

  Kind kind() const { return static_cast<Kind>(value_.index()); }
  bool is_boolean() const { return kind() == Kind::boolean; }
  bool is_integer() const { return kind() == Kind::integer; }
  bool is_real() const { return kind() == Kind::real; }
  bool is_text() const { return kind() == Kind::text; }
  bool is_number() const { return is_integer() || is_real(); }

  // Calls the function with the bool, std::int64_t, double or std::string.
  template <class Function>
  decltype(auto) visit(const Function& function) const {
    return std::visit(function, value_);
  }
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
  friend bool operator==(const Value& a, const Value& b) { return a.value_ == b.value_; }
  friend auto operator<=>(const Value& a, const Value& b) { return a.value_ <=> b.value_; }
};

// "..." with JSON's escapes.
std::string json_quote(std::string_view text);

// Names with their values, in the given order. Two are equal if the same names have the same values, in any order.
class NamedValues {
 public:
  using Entry = std::pair<std::string, Value>;
  using Names = std::vector<std::string>;

  NamedValues() = default;
  NamedValues(std::initializer_list<Entry> entries);
  // One value per name; the names differ. All configurations of a space share their names, because copying them would
  // be most of the cost of making one.
  NamedValues(std::shared_ptr<const Names> names, std::vector<Value> values)
      : names_(std::move(names)), values_(std::move(values)) {}

  // Replaces the value of an existing name.
  void set(std::string_view name, Value value);
  const Value* find(std::string_view name) const;

  // Iterates over pairs of a name and its value.
  struct Iterator {
    using value_type = std::pair<const std::string&, const Value&>;
    using difference_type = std::ptrdiff_t;
    value_type operator*() const { return {*name, *value}; }
    Iterator& operator++() { return ++name, ++value, *this; }
    Iterator operator++(int) { return ++*this, Iterator{name - 1, value - 1}; }
    friend bool operator==(const Iterator&, const Iterator&) = default;

    const std::string* name = nullptr;
    const Value* value = nullptr;
  };
  Iterator begin() const { return {names().data(), values_.data()}; }
  Iterator end() const { return {names().data() + size(), values_.data() + size()}; }
  std::size_t size() const { return values_.size(); }
  bool empty() const { return values_.empty(); }

  // In their order.
  std::span<const std::string> names() const { return names_ ? std::span(*names_) : std::span<const std::string>(); }
  const std::string& name(std::size_t place) const { return (*names_)[place]; }
  const Value& value(std::size_t place) const { return values_[place]; }

  // The text for people: "threadsPerBlock=256 way=one_pass".
  std::string str() const;
  // A JSON object with sorted names: one text for equal contents. The database's key.
  std::string json() const;

  friend bool operator==(const NamedValues& a, const NamedValues& b);

 private:
  std::size_t place_of(std::string_view name) const;  // size() if the name is missing

  std::shared_ptr<const Names> names_;  // null if there are no names
  std::vector<Value> values_;
};

// A point of the parameter space, and a problem to solve: n=1048576 T=float.
using Config = NamedValues;
using Problem = NamedValues;

// The value of a problem's axis in a question. A view: it does not own its text.
class AxisValue : public AnyValue<std::string_view> {
 public:
  using AnyValue::AnyValue;
  AxisValue(const std::string& value) : AnyValue(std::string_view(value)) {}
  AxisValue(const Value& value) {
    value.visit([this](const auto& own) { *this = AxisValue(own); });
  }

  // A copy of the value.
  Value value() const {
    return std::visit([](const auto& own) { return Value(own); }, value_);
  }
  bool is_number() const { return value_.index() == 1 || value_.index() == 2; }
  double number() const {
    const auto* integer = std::get_if<std::int64_t>(&value_);
    return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value_);
  }
  // Equal values have the same hash.
  std::uint64_t hash() const {
    if (is_number()) return std::bit_cast<std::uint64_t>(number() + 0.0);  // -0.0 is 0.0
    if (const bool* boolean = std::get_if<bool>(&value_)) return *boolean ? 2 : 1;
    return std::hash<std::string_view>()(std::get<std::string_view>(value_));
  }
  // Numbers are equal if their values are, an integer and a real too.
  friend bool operator==(const AxisValue& a, const AxisValue& b) {
    if (a.value_.index() == b.value_.index()) return a.value_ == b.value_;
    return a.is_number() && b.is_number() && a.number() == b.number();
  }
};

}  // namespace gktune

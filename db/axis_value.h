#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "tuner/core/value.h"

namespace gktune {

// The value of a problem's axis in a question. A view: it does not own its text.
class AxisValue {
 public:
  AxisValue() : AxisValue(0) {}
  template <std::same_as<bool> T>
  AxisValue(T value) : kind_(Value::Kind::boolean), integer_(value) {}
  template <std::integral T>
  requires(!std::same_as<T, bool>) AxisValue(T value)
      : kind_(Value::Kind::integer), integer_(static_cast<std::int64_t>(value)) {}
  template <std::floating_point T>
  AxisValue(T value) : kind_(Value::Kind::real), real_(static_cast<double>(value)) {}
  AxisValue(std::string_view value) : kind_(Value::Kind::text), size_(value.size()), text_(value.data()) {}
  AxisValue(const std::string& value) : AxisValue(std::string_view(value)) {}
  AxisValue(const char* value) : AxisValue(std::string_view(value)) {}
  AxisValue(const Value& value) : kind_(value.kind()), integer_(0) {
    switch (kind_) {
      case Value::Kind::boolean:
        integer_ = value.boolean();
        break;
      case Value::Kind::integer:
        integer_ = value.integer();
        break;
      case Value::Kind::real:
        real_ = value.real();
        break;
      case Value::Kind::text:
        size_ = value.text().size();
        text_ = value.text().data();
        break;
    }
  }

  // A copy of the value.
  Value value() const {
    switch (kind_) {
      case Value::Kind::boolean:
        return integer_ != 0;
      case Value::Kind::integer:
        return integer_;
      case Value::Kind::real:
        return real_;
      case Value::Kind::text:
        break;
    }
    return text();
  }
  bool is_number() const { return kind_ == Value::Kind::integer || kind_ == Value::Kind::real; }
  double number() const { return kind_ == Value::Kind::integer ? static_cast<double>(integer_) : real_; }
  // Equal values have the same hash.
  std::uint64_t hash() const {
    if (is_number()) return std::bit_cast<std::uint64_t>(number() + 0.0);  // -0.0 is 0.0
    if (kind_ == Value::Kind::boolean) return integer_ != 0 ? 2 : 1;
    return std::hash<std::string_view>()(text());
  }
  // Numbers are equal if their values are, an integer and a real too.
  friend bool operator==(const AxisValue& a, const AxisValue& b) {
    if (a.kind_ != b.kind_) return a.is_number() && b.is_number() && a.number() == b.number();
    if (a.kind_ == Value::Kind::text) return a.text() == b.text();
    return a.kind_ == Value::Kind::real ? a.real_ == b.real_ : a.integer_ == b.integer_;
  }

 private:
  std::string_view text() const { return {text_, size_}; }

  Value::Kind kind_;
  std::size_t size_ = 0;  // of a text
  union {
    std::int64_t integer_;  // of an integer or a boolean
    double real_;
    const char* text_;
  };
};

}  // namespace gktune

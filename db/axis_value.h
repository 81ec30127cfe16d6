#pragma once

#include <concepts>
#include <cstdint>
#include <cstring>
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
  AxisValue(std::string_view value) : kind_(Value::Kind::text), text_(value) {}
  AxisValue(const std::string& value) : AxisValue(std::string_view(value)) {}
  AxisValue(const char* value) : AxisValue(std::string_view(value)) {}
  AxisValue(const Value& value)
      : kind_(value.kind()),
        integer_(value.is_integer() ? value.integer() : value.is_boolean() ? value.boolean() : 0),
        real_(value.is_real() ? value.real() : 0),
        text_(value.is_text() ? std::string_view(value.text()) : std::string_view()) {}

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
    return text_;
  }
  bool is_number() const { return kind_ == Value::Kind::integer || kind_ == Value::Kind::real; }
  double number() const { return kind_ == Value::Kind::integer ? static_cast<double>(integer_) : real_; }
  // Mixes a text or a boolean into a hash; all numbers are the same there. Compare values too: long texts may
  // have the same hash.
  std::uint64_t mixed_into(std::uint64_t hash) const {
    std::uint64_t own = 0;
    if (kind_ == Value::Kind::boolean) own = integer_ != 0 ? 2 : 1;
    if (kind_ == Value::Kind::text) {
      std::uint32_t first = 0, last = 0;
      if (text_.size() >= 4) {
        std::memcpy(&first, text_.data(), 4);
        std::memcpy(&last, text_.data() + text_.size() - 4, 4);
      } else {
        for (const char character : text_) first = first << 8 | static_cast<unsigned char>(character);
      }
      own = (std::uint64_t{first} << 32 | last) + text_.size() + 3;
    }
    hash = (hash ^ own) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
  }
  // Numbers are equal if their values are, an integer and a real too.
  friend bool operator==(const AxisValue& a, const AxisValue& b) {
    if (a.kind_ != b.kind_) return a.is_number() && b.is_number() && a.number() == b.number();
    if (a.kind_ == Value::Kind::text) return a.text_ == b.text_;
    return a.kind_ == Value::Kind::real ? a.real_ == b.real_ : a.integer_ == b.integer_;
  }

 private:
  Value::Kind kind_;
  std::int64_t integer_ = 0;  // of an integer or a boolean
  double real_ = 0;
  std::string_view text_;
};

}  // namespace gktune

#pragma once

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
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
  // Mixes a text or a boolean into a hash; all numbers are the same there. Compare values too: long texts may
  // have the same hash.
  std::uint64_t mixed_into(std::uint64_t hash) const {
    std::uint64_t own = 0;
    if (kind_ == Value::Kind::boolean) own = integer_ != 0 ? 2 : 1;
    if (kind_ == Value::Kind::text) {
      std::uint32_t first = 0, last = 0;
      if (size_ >= 4) {
        std::memcpy(&first, text_, 4);
        std::memcpy(&last, text_ + size_ - 4, 4);
      } else {
        for (const char character : text()) first = first << 8 | static_cast<unsigned char>(character);
      }
      own = (std::uint64_t{first} << 32 | last) + size_ + 3;
    }
    hash = (hash ^ own) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 29;
  }
  // A short form: equal values have equal codes, and equal codes mean equal values unless they are inexact.
  struct Code {
    static constexpr std::uint64_t kInexact = 15;  // compare the values too
    std::uint64_t bits = 0, kind = 0;              // kind: from 1 to 15
  };
  [[gnu::always_inline]] Code code() const {
    if (kind_ == Value::Kind::integer && integer_ > -kExactInReal && integer_ < kExactInReal)
      return {static_cast<std::uint64_t>(integer_), 1};
    return kind_ == Value::Kind::text && size_ <= 8 ? short_text_code() : rare_code();
  }
  // Numbers are equal if their values are, an integer and a real too.
  friend bool operator==(const AxisValue& a, const AxisValue& b) {
    if (a.kind_ != b.kind_) return a.is_number() && b.is_number() && a.number() == b.number();
    if (a.kind_ == Value::Kind::text) return a.text() == b.text();
    return a.kind_ == Value::Kind::real ? a.real_ == b.real_ : a.integer_ == b.integer_;
  }

 private:
  static constexpr std::int64_t kExactInReal = std::int64_t{1} << 53;  // integers up to here are

  std::string_view text() const { return {text_, size_}; }
  template <class Part>
  std::uint64_t part_of_text(std::size_t at) const {
    Part part;
    std::memcpy(&part, text_ + at, sizeof part);
    return part;
  }
  Code short_text_code() const {
    const std::uint64_t kind = 4 + size_;
    if (size_ >= 4)
      return {part_of_text<std::uint32_t>(0) | part_of_text<std::uint32_t>(size_ - 4) << 32, kind};
    if (size_ >= 2)
      return {part_of_text<std::uint16_t>(0) | part_of_text<std::uint16_t>(size_ - 2) << 16, kind};
    return {size_ == 0 ? 0 : part_of_text<std::uint8_t>(0), kind};
  }
  // Not inline: launches run through as little code as possible.
  [[gnu::noinline]] Code rare_code() const {
    if (kind_ == Value::Kind::boolean) return {static_cast<std::uint64_t>(integer_), 2};
    if (kind_ == Value::Kind::text) {
      const auto first = part_of_text<std::uint64_t>(0), last = part_of_text<std::uint64_t>(size_ - 8);
      return {first * 0x9e3779b97f4a7c15u + last + size_, Code::kInexact};
    }
    const double real = number();
    if (real > -kExactInReal && real < kExactInReal) {
      const auto whole = static_cast<std::int64_t>(real);
      if (static_cast<double>(whole) == real) return {static_cast<std::uint64_t>(whole), 1};
      return {std::bit_cast<std::uint64_t>(real), 3};
    }
    return {std::bit_cast<std::uint64_t>(real), Code::kInexact};
  }

  Value::Kind kind_;
  std::size_t size_ = 0;  // of a text
  union {
    std::int64_t integer_;  // of an integer or a boolean
    double real_;
    const char* text_;
  };
};

}  // namespace gktune

#pragma once

#include <algorithm>
#include <bit>
#include <compare>
#include <concepts>
#include <cstdint>
#include <string>

namespace gktune {

// A number or an index of configurations: not negative, with up to 128 bits. Sums and products that need more
// give the greatest number; Space::build() fails for a larger space.
class Count {
 public:
  constexpr Count() = default;
  template <std::integral T>
  constexpr Count(T value) : number_(static_cast<std::uint64_t>(value)) {}

  Count& operator+=(Count other) {
    if (__builtin_add_overflow(number_, other.number_, &number_)) number_ = kMost;
    return *this;
  }
  Count& operator-=(Count other) {  // requires other <= *this
    number_ -= other.number_;
    return *this;
  }
  Count& operator*=(Count other) {
    if (__builtin_mul_overflow(number_, other.number_, &number_)) number_ = kMost;
    return *this;
  }
  Count& operator<<=(unsigned bits) {
    number_ <<= bits;
    return *this;
  }
  Count& operator++() { return *this += 1; }
  friend Count operator+(Count a, Count b) { return a += b; }
  friend Count operator-(Count a, Count b) { return a -= b; }
  friend Count operator*(Count a, Count b) { return a *= b; }
  friend Count operator/(Count a, Count b) {
    a.number_ /= b.number_;
    return a;
  }
  friend Count operator<<(Count a, unsigned bits) { return a <<= bits; }
  friend auto operator<=>(const Count& a, const Count& b) = default;

  // Requires a value that fits the type.
  template <std::integral T>
  explicit operator T() const {
    return static_cast<T>(number_);
  }
  // Number of bits without leading zeros.
  unsigned bits() const {
    const auto high = static_cast<std::uint64_t>(number_ >> 64), low = static_cast<std::uint64_t>(number_);
    return static_cast<unsigned>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
  }
  std::string str() const {
    std::string digits;
    for (Number rest = number_; rest != 0 || digits.empty(); rest /= 10)
      digits += static_cast<char>('0' + static_cast<int>(rest % 10));
    std::ranges::reverse(digits);
    return digits;
  }

 private:
  __extension__ typedef unsigned __int128 Number;
  static constexpr Number kMost = ~Number{0};

  Number number_ = 0;
};

}  // namespace gktune

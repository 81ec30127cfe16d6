#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <utility>

namespace gktune {

// A number or an index of configurations: not negative, and exact for a space of any size. Hides Boost's
// integer, whose headers would add seconds to the compilation of every file that includes this one.
class Count {
 public:
  Count() noexcept : Count(std::uint64_t{0}) {}
  template <std::integral T>
  Count(T value) noexcept : Count(static_cast<std::uint64_t>(value), Narrow()) {}
  // Reads decimal digits.
  explicit Count(const std::string& digits);
  Count(const Count& other);
  Count(Count&& other) noexcept;
  Count& operator=(const Count& other);
  Count& operator=(Count&& other) noexcept;
  ~Count();

  Count& operator+=(const Count& other);
  Count& operator-=(const Count& other);  // requires other <= *this
  Count& operator*=(const Count& other);
  Count& operator/=(const Count& other);
  Count& operator<<=(unsigned bits);
  Count& operator++() { return *this += 1; }
  Count operator++(int) {
    Count before = *this;
    ++*this;
    return before;
  }
  friend Count operator+(Count a, const Count& b) { return std::move(a += b); }
  friend Count operator-(Count a, const Count& b) { return std::move(a -= b); }
  friend Count operator*(Count a, const Count& b) { return std::move(a *= b); }
  friend Count operator/(Count a, const Count& b) { return std::move(a /= b); }
  friend Count operator<<(Count a, unsigned bits) { return std::move(a <<= bits); }

  friend bool operator==(const Count& a, const Count& b) { return a.compare(b) == 0; }
  friend std::strong_ordering operator<=>(const Count& a, const Count& b) { return a.compare(b) <=> 0; }

  // Requires a value that fits the type.
  template <std::integral T>
  explicit operator T() const {
    return static_cast<T>(low());
  }
  unsigned bits() const;  // number of bits without leading zeros
  std::string str() const;
  std::size_t bytes() const;  // memory that it occupies
  friend std::ostream& operator<<(std::ostream& stream, const Count& count);

 private:
  struct Narrow {};
  struct Number;
  Count(std::uint64_t value, Narrow) noexcept;
  std::uint64_t low() const;
  int compare(const Count& other) const;
  Number& number();
  const Number& number() const;

  alignas(16) std::byte number_[32];
};

}  // namespace gktune

#include "tuner/space/solver/count.h"

#include <boost/multiprecision/cpp_int.hpp>
#include <new>
#include <ostream>

namespace gktune {

struct Count::Number {
  boost::multiprecision::cpp_int value;
};

Count::Number& Count::number() { return *std::launder(reinterpret_cast<Number*>(number_)); }
const Count::Number& Count::number() const { return *std::launder(reinterpret_cast<const Number*>(number_)); }

Count::Count(std::uint64_t value, Narrow) noexcept {
  static_assert(sizeof(Number) <= sizeof(number_) && alignof(Number) <= 16);
  new (number_) Number{value};
}
Count::Count(const std::string& digits) { new (number_) Number{boost::multiprecision::cpp_int(digits)}; }
Count::Count(const Count& other) { new (number_) Number(other.number()); }
Count::Count(Count&& other) noexcept { new (number_) Number(std::move(other.number())); }
Count& Count::operator=(const Count& other) {
  number() = other.number();
  return *this;
}
Count& Count::operator=(Count&& other) noexcept {
  number() = std::move(other.number());
  return *this;
}
Count::~Count() { number().~Number(); }

Count& Count::operator+=(const Count& other) {
  number().value += other.number().value;
  return *this;
}
Count& Count::operator-=(const Count& other) {
  number().value -= other.number().value;
  return *this;
}
Count& Count::operator*=(const Count& other) {
  number().value *= other.number().value;
  return *this;
}
Count& Count::operator/=(const Count& other) {
  number().value /= other.number().value;
  return *this;
}
Count& Count::operator<<=(unsigned bits) {
  number().value <<= bits;
  return *this;
}

int Count::compare(const Count& other) const { return number().value.compare(other.number().value); }
std::uint64_t Count::low() const { return static_cast<std::uint64_t>(number().value); }
unsigned Count::bits() const {
  return number().value.is_zero() ? 0 : static_cast<unsigned>(boost::multiprecision::msb(number().value)) + 1;
}
std::string Count::str() const { return number().value.str(); }
std::size_t Count::bytes() const {
  return sizeof(Count) + number().value.backend().size() * sizeof(boost::multiprecision::limb_type);
}

std::ostream& operator<<(std::ostream& stream, const Count& count) { return stream << count.str(); }

}  // namespace gktune

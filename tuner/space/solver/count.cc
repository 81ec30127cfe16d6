#include "tuner/space/solver/count.h"

#include <algorithm>
#include <bit>
#include <ostream>

namespace gktune {

Count::Count(const std::string& digits) {
  for (const char digit : digits) (*this *= 10) += digit - '0';
}

unsigned Count::bits() const {
  const auto high = static_cast<std::uint64_t>(number_ >> 64), low = static_cast<std::uint64_t>(number_);
  return static_cast<unsigned>(high != 0 ? 64 + std::bit_width(high) : std::bit_width(low));
}

std::string Count::str() const {
  std::string digits;
  for (Number rest = number_; rest != 0 || digits.empty(); rest /= 10)
    digits += static_cast<char>('0' + static_cast<int>(rest % 10));
  std::ranges::reverse(digits);
  return digits;
}

std::ostream& operator<<(std::ostream& stream, const Count& count) { return stream << count.str(); }

}  // namespace gktune

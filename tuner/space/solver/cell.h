#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gktune {

// A value encoded in 64 bits, so that constraints are decided on many combinations at once: an integer
// (booleans are 0 and 1), the bits of a double, or the number of a text.
using Cell = std::int64_t;

enum class CellType {
  integer,
  real,
  text,
  none,  // the kind of value differs between combinations; cells cannot encode it
};

// Marks results that cells cannot encode: an overflow, a division by zero. The evaluator of
// expressions decides these. It also decides combinations whose true value is the smallest integer or
// NaN; that is slower and equally correct.
constexpr Cell kUnknown = std::numeric_limits<Cell>::min();

inline double real_of(Cell cell) { return std::bit_cast<double>(cell); }
inline Cell cell_of(double real) { return std::bit_cast<Cell>(real); }
inline Cell unknown_of(CellType type) {
  return type == CellType::real ? cell_of(std::numeric_limits<double>::quiet_NaN()) : kUnknown;
}
inline bool is_unknown(CellType type, Cell cell) {
  return type == CellType::real ? std::isnan(real_of(cell)) : cell == kUnknown;
}

// True if a double represents this integer exactly.
inline bool is_exact_in_real(std::int64_t integer) {
  constexpr std::int64_t kLimit = std::int64_t{1} << 53;
  return integer >= -kLimit && integer <= kLimit;
}

}  // namespace gktune

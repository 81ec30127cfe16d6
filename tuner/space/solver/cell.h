#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace gktune {

// Encoded value for deciding constraints on many combinations at once: an integer (booleans are 0 and
// 1), the bits of a double, or the number of a text.
using Cell = std::int64_t;

enum class CellType {
  integer,
  real,
  text,
  none,  // its kind differs between combinations: it has no cell
};

// Marks results that cells cannot express: an overflow, a division by zero. The evaluator of expressions
// decides these. It also decides a real minimum integer or NaN, which only costs time.
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

#pragma once

#include <cstdint>

namespace gktune {

// How an output is compared with the reference. An element passes if one of the
// first three allows its difference.
struct TolerancePlan {
  double absolute = 0;
  double relative = 0;
  std::int64_t ulp = 0;
  bool has_norm = false;             // the norm of all differences counts instead of each of them
  double norm = 0;                   // its allowed share of the norm of the expected output
  bool any_order = false;            // compared after sorting
  bool nan_equals = false;           // NaN is right where NaN is expected
  std::uint64_t row = 0, pitch = 0;  // of each `pitch` elements the first `row` count; 0: all count
  int mask = -1;  // of the plan's arguments; elements do not count where it is zero; -1: none

  bool is_selective() const { return pitch > 0 || mask >= 0; }
  friend bool operator==(const TolerancePlan&, const TolerancePlan&) = default;
};

}  // namespace gktune

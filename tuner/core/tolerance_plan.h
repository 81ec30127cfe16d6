#pragma once

#include <cstdint>

#include "tuner/core/fields.h"

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

template <class Archive, Is<TolerancePlan> S>
void fields(Archive&& archive, S& plan) {
  archive("absolute", plan.absolute);
  archive("relative", plan.relative);
  archive("ulp", plan.ulp);
  archive("has_norm", plan.has_norm);
  archive("norm", plan.norm);
  archive("any_order", plan.any_order);
  archive("nan_equals", plan.nan_equals);
  archive("row", plan.row);
  archive("pitch", plan.pitch);
  archive("mask", plan.mask);
}

}  // namespace gktune

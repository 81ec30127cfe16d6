#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tuner/core/element_type.h"
#include "tuner/core/tolerance_plan.h"

namespace gktune {

// The comparison of an output with the reference.
struct Verdict {
  std::uint64_t count = 0;       // elements compared
  std::uint64_t mismatches = 0;  // of them
  std::uint64_t nans = 0;        // of the mismatches: NaN in the output
  std::uint64_t first = 0;       // index of the first mismatch, and what was there
  std::string actual, expected;
  double first_absolute = 0;
  double worst_absolute = 0, worst_relative = 0,
         worst_ulp = 0;  // over all elements, those that pass included

  bool passed() const { return mismatches == 0; }
  // If it did not pass: "12 of 1024 elements differ; the first is out[17]: 3.5, expected 4 (absolute
  // error 0.5)".
  std::string message(std::string_view name) const;
};

// NaN never passes. Both buffers hold the same number of elements.
Verdict judge(ElementType type, std::span<const std::byte> actual, std::span<const std::byte> expected,
              const TolerancePlan& tolerance);

}  // namespace gktune

#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "gktune/element_type.h"
#include "tuner/core/plan_parts.h"

namespace gktune {

// The comparison of an output with the reference.
struct Verdict {
  std::uint64_t count = 0;       // elements compared
  std::uint64_t mismatches = 0;  // of them
  std::uint64_t nans = 0;        // of the mismatches: NaN in the output
  std::uint64_t first = 0;       // index of the first mismatch, and what was there
  std::string actual, expected;
  double first_absolute = 0;

  // The norm of all differences together, and the largest that passes. See TolerancePlan::norm.
  double norm = 0, norm_limit = std::numeric_limits<double>::infinity();
  bool is_sorted = false;  // the index is that of the sorted output

  bool passed() const { return mismatches == 0 && norm <= norm_limit; }
  // If it did not pass: "12 of 1024 elements differ; the first is out[17]: 3.5,
  // expected 4 (absolute error 0.5)".
  std::string message(std::string_view name) const;
};

// Both buffers hold the same number of elements; the mask has a byte for each.
Verdict judge(ElementType type, std::span<const std::byte> actual, std::span<const std::byte> expected,
              const TolerancePlan& tolerance, std::span<const std::byte> mask = {});

// The bounds of single elements. Where the norm counts, only NaN and infinities fail alone.
struct ErrorBounds bounds_of(const TolerancePlan& tolerance);

}  // namespace gktune

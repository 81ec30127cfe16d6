#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "tuner/core/trial.h"

namespace gktune {

// The indices of the sorted samples that bound the 95 % confidence interval of the median. It holds for any
// distribution, because the number of samples below the median is binomial. Under 6 samples no pair is that
// far apart: the result is the first and the last. n has to be at least 1.
std::pair<std::size_t, std::size_t> median_interval(std::size_t n);

// The median of sorted samples, at least one.
double median_of_sorted(std::span<const double> sorted);

// All zero without samples.
Timing summarize(std::span<const double> samples_us);

}  // namespace gktune

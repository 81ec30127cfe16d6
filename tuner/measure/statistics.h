#pragma once

#include <cstddef>
#include <span>
#include <utility>

#include "tuner/core/trial.h"

namespace gktune {

// Which of n sorted samples bound the 95 % confidence interval of the median, counted from 0. It assumes
// nothing of the distribution: the number of samples below the median is binomial. Under 6 samples no pair is
// that far apart, and it is the first and the last. Asks for at least one sample.
std::pair<std::size_t, std::size_t> median_interval(std::size_t n);

// Of sorted samples; asks for at least one.
double median_of_sorted(std::span<const double> sorted);

// All zero where there are no samples.
Timing summarize(std::span<const double> samples_us);

}  // namespace gktune

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "tuner/core/trial.h"

namespace gktune {

// The indices of the sorted samples that bound the 95 % confidence interval of the median. It holds for any
// distribution, because the number of samples below the median is binomial. The interval of fewer than 6
// samples is their whole range. Requires at least one sample.
std::pair<std::size_t, std::size_t> median_interval(std::size_t n);

// The median of sorted samples, at least one.
double median_of_sorted(std::span<const double> sorted);

// All zero without samples.
Timing summarize(std::span<const double> samples_us);

// Counts of values between edges. If all values are positive, neighbouring edges differ by equal factors,
// else by equal distances.
struct Histogram {
  std::vector<double> edges;         // one more than counts; empty without a finite value
  std::vector<std::int64_t> counts;  // the last one has its upper edge too
};

// Values that are not finite are left out. Equal values share one bin.
Histogram histogram_of(const std::vector<double>& values, std::size_t bins);

struct PlayoffOptions {
  double tolerance = 0.005;  // finalists whose medians differ by less are equally good
  double deviation = 0.005;  // relative standard deviation that single samples are expected to have
  std::size_t min_rounds = 5;
};

// True if the finalist with the lowest median is certain to be the fastest, or no other is faster by more
// than the tolerance. `samples` has one sample of each round for each finalist, in the order of the rounds;
// finalists without samples have failed. Samples of one round are compared with each other only, so that
// drift favours none.
bool is_playoff_decided(const std::vector<Samples>& samples, const PlayoffOptions& options);

}  // namespace gktune

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>
#include <string_view>
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

// How a candidate's time relates to that of another program: they differ by more than the smallest effect
// that counts, or by less.
GKTUNE_ENUM(Relation, undecided, faster, equivalent, slower)

// The factor by which a candidate is faster than another program; below 1 it is slower.
struct Speedup {
  double factor = 0, low = 0, high = 0;  // with its 95 % confidence interval
  Relation relation = Relation::undecided;
  bool is_not_slower = false;  // by the smallest effect
};

GKTUNE_FIELDS(Speedup, factor, low, high, relation, is_not_slower)

// Compares samples of the same rounds, so that drift favours neither. `effect`: 0.01 is one per cent. The
// relation may be asked for after each round: few numbers of rounds decide, by an interval of 99.98 %.
Speedup speedup_of(const Samples& candidate, const Samples& other, double effect);
// The geometric mean of independent speedups, at least one. Undecided if one of them is.
Speedup mean_of(const std::vector<Speedup>& speedups, double effect);

// The differences of single samples of a configuration from its median. The defaults suit an unknown
// kernel on an unknown device, which may be noisy.
struct NoiseLevel {
  double deviation = 0.05;       // relative standard deviation of ordinary samples
  double straggler_share = 0.1;  // share of samples that take clearly longer

  // An ordinary sample of a trial exceeds its median by more than this, relatively, with probability
  // `probability`, stragglers included. Infinite where stragglers alone are as frequent as that.
  double excess(double probability) const;
  friend bool operator==(const NoiseLevel&, const NoiseLevel&) = default;
};

// The standard error of the median of this many samples.
double median_error(double deviation, std::size_t samples);

// Relative standard deviation of samples, from the differences of neighbours: slow drift does not count.
// 0 for fewer than two.
double deviation_of_neighbours(std::span<const double> samples_us);

// Learns the noise of one kernel on one device from finished trials. Starts at NoiseLevel's defaults.
class SamplingNoise {
 public:
  void add(std::span<const double> samples_us);
  NoiseLevel level() const;

 private:
  std::deque<double> differences_;  // of neighbouring samples, relative, the latest ones
  double samples_ = 0, stragglers_ = 0;
};

}  // namespace gktune

#pragma once

#include <cstddef>
#include <deque>
#include <span>

#include "tuner/core/trial.h"

namespace gktune {

// The differences of single samples of a configuration from its median. The defaults are those of an unknown
// kernel on an unknown device: noisy.
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

#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "tuner/core/trial.h"

namespace gktune {

struct StoppingOptions {
  double relative_width = 0.01;  // of the median: the whole width of its 95 % confidence interval
  std::size_t min_samples = 10;  // for what may win
  std::size_t race_samples = 3;  // for what is clearly out of the race
  std::size_t max_samples = 200;
  double max_seconds = 2;                                      // once there are min_samples
  double hard_seconds = 20;                                    // once there are race_samples
  double cutoff_us = std::numeric_limits<double>::infinity();  // above: out of the race
};

// Says when enough samples have been taken. Knows no clock: it is told what was measured and how long it
// took.
class StoppingRule {
 public:
  enum class State { sampling, precise, out_of_race, enough_samples, enough_time };

  explicit StoppingRule(const StoppingOptions& options) : options_(options) {}

  // Takes a sample, and the seconds since sampling began; answers whether to go on.
  State add(double sample_us, double elapsed_s);
  State state() const { return state_; }
  // In the order they came.
  const Samples& samples() const { return samples_; }

 private:
  State judge(double elapsed_s) const;

  StoppingOptions options_;
  Samples samples_;
  std::vector<double> sorted_;
  State state_ = State::sampling;
};

}  // namespace gktune

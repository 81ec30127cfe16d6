#include "tuner/measure/stopping_rule.h"

#include <algorithm>
#include <cmath>

namespace gktune {
namespace {

// The probability that noise alone makes all samples of a configuration as slow as they are, below which it
// is given up.
constexpr double kErrorRate = 0.001;
constexpr std::size_t kEnoughOfItsOwn = 10;
// Half the width of a confidence interval, in standard errors.
constexpr double kInterval = 2;

}  // namespace

StoppingRule::State StoppingRule::add(double sample_us, double elapsed_s) {
  samples_.push_back(sample_us);
  fastest_us_ = std::min(fastest_us_, sample_us);
  state_ = judge(elapsed_s);
  return state_;
}

StoppingRule::State StoppingRule::judge(double elapsed_s) const {
  const std::size_t count = samples_.size();
  if (count < 2) return State::sampling;
  // A configuration may be noisier than the others, and many samples speak for themselves.
  NoiseLevel noise = options_.cutoff.noise;
  const double own = deviation_of_neighbours(samples_);
  noise.deviation = count < kEnoughOfItsOwn ? std::max(noise.deviation, own) : own;

  // If it were as fast as the leader, each sample would exceed this with the count-th root of the error rate.
  const double excess = noise.excess(std::pow(kErrorRate, 1 / static_cast<double>(count)));
  const double margin = options_.tolerance + kInterval * options_.cutoff.leader.error;
  if (fastest_us_ > options_.cutoff.leader.median_us * (1 + margin) * (1 + excess)) return State::dropped_early;
  if (elapsed_s >= options_.hard_seconds) return State::enough_time;
  if (count < options_.min_samples) return State::sampling;

  if (kInterval * median_error(noise.deviation, count) <= options_.tolerance) return State::precise;
  if (elapsed_s >= options_.max_seconds) return State::enough_time;
  return count >= options_.max_samples ? State::enough_samples : State::sampling;
}

}  // namespace gktune

#include "tuner/measure/stopping_rule.h"

#include <algorithm>
#include <cmath>

namespace gktune {
namespace {

// A configuration is given up if noise alone makes all its samples this slow with a lower probability.
constexpr double kErrorRate = 0.001;
constexpr std::size_t kEnoughOfItsOwn = 10;
// Half the width of a confidence interval, in standard errors.
constexpr double kInterval = 2;

// A configuration is given up after one execution that is slower than the leader by kHopelessFactor and takes
// longer than any interruption. It is given up after an execution and a sample that are both slower by
// kFarFactor, or by more than the known noise explains.
constexpr double kHopelessFactor = 3, kFarFactor = 2;
constexpr double kInterruptionUs = 20'000, kLaunchUs = 100;
// An execution before the samples may take longer than they do by this share, beside its launch.
constexpr double kFirstExcess = 0.2;

}  // namespace

double limit_us(const Leader& leader, double tolerance) {
  return leader.median_us * (1 + tolerance + kInterval * leader.error);
}

bool is_hopeless(double execution_us, const Cutoff& cutoff) {
  return execution_us > kHopelessFactor * limit_us(cutoff.leader, 0) + kInterruptionUs;
}

StoppingRule::State StoppingRule::add(double sample_us, double elapsed_s) {
  samples_.push_back(sample_us);
  fastest_us_ = std::min(fastest_us_, sample_us);
  state_ = judge(elapsed_s);
  return state_;
}

StoppingRule::State StoppingRule::judge(double elapsed_s) const {
  const std::size_t count = samples_.size();
  const double limit = limit_us(options_.cutoff.leader, options_.tolerance);
  if (count < 2) {
    const double excess = std::max(kFirstExcess, options_.cutoff.noise.excess(std::sqrt(kErrorRate)));
    const bool is_far =
        std::min(options_.execution_us - kLaunchUs, fastest_us_) > std::min(kFarFactor, 1 + excess) * limit;
    return is_far ? State::dropped_early : State::sampling;
  }
  // A configuration may be noisier than the others, and many samples speak for themselves.
  NoiseLevel noise = options_.cutoff.noise;
  const double own = deviation_of_neighbours(samples_);
  noise.deviation = count < kEnoughOfItsOwn ? std::max(noise.deviation, own) : own;

  // If it were as fast as the leader, each sample would exceed this with the count-th root of the error rate.
  const double excess = noise.excess(std::pow(kErrorRate, 1 / static_cast<double>(count)));
  if (fastest_us_ > limit * (1 + excess)) return State::dropped_early;
  if (elapsed_s >= options_.hard_seconds) return State::enough_time;
  if (count < options_.min_samples) return State::sampling;

  if (kInterval * median_error(noise.deviation, count) <= options_.tolerance) return State::precise;
  if (elapsed_s >= options_.max_seconds) return State::enough_time;
  return count >= options_.max_samples ? State::enough_samples : State::sampling;
}

}  // namespace gktune

#include "tuner/measure/stopping_rule.h"

#include <algorithm>

#include "tuner/measure/statistics.h"

namespace gktune {

StoppingRule::State StoppingRule::add(double sample_us, double elapsed_s) {
  samples_.push_back(sample_us);
  sorted_.insert(std::ranges::upper_bound(sorted_, sample_us), sample_us);
  state_ = judge(elapsed_s);
  return state_;
}

StoppingRule::State StoppingRule::judge(double elapsed_s) const {
  const std::size_t count = sorted_.size();
  const auto [low, high] = median_interval(count);
  if (count >= options_.race_samples) {
    if (sorted_[low] > options_.cutoff_us) return State::out_of_race;
    if (elapsed_s >= options_.hard_seconds) return State::enough_time;
  }
  if (count >= options_.min_samples) {
    if (sorted_[high] - sorted_[low] <= options_.relative_width * median_of_sorted(sorted_)) {
      return State::precise;
    }
    if (elapsed_s >= options_.max_seconds) return State::enough_time;
  }
  return count >= options_.max_samples ? State::enough_samples : State::sampling;
}

}  // namespace gktune

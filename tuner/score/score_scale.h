#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/recording/recording.h"

namespace gktune {

// One evaluation of a strategy's run.
struct ScoredStep {
  std::size_t trial = 0;  // of the recording
  double own_s = 0;       // that the strategy took to choose it and to learn from earlier ones
};
using ScoredRun = std::vector<ScoredStep>;

// Says if a strategy's own time counts.
enum class OwnTime { counted, ignored };

struct Score {
  double mean = 0;    // over the moments of the budget
  double at_end = 0;  // of the budget
};

// The scoring of runs over one recording, after Willemsen et al., "A Methodology for Comparing Optimization
// Algorithms for Auto-Tuning" (2024). An evaluation costs what it cost when it was recorded, failures
// included. The budget is the time in which random search is expected to close 95 % of the gap between the
// median and the optimum. At 1000 moments of it, the score is (random − found) / (random − optimum): 0 for
// random search, 1 for the optimum at once.
class ScoreScale {
 public:
  // An error where the recording has no two different times.
  static Result<ScoreScale> make(const Recording& recording);

  double budget_s() const { return moments_s_.back(); }
  double optimum() const { return best_; }
  Score score(std::span<const ScoredRun> runs, OwnTime own_time) const;
  // How far the best of each run's first evaluations is above the optimum, as a share of it: the median over
  // the runs. Infinite where most runs find nothing valid.
  double excess(std::span<const ScoredRun> runs, std::size_t evaluations) const;

 private:
  ScoreScale() = default;
  std::size_t evaluations(double closed) const;
  void expect_random_search(double mean_cost_s);
  void add_found(const ScoredRun& run, OwnTime own_time, std::vector<double>& sum) const;

  std::vector<double> objectives_;  // of each trial; NaN for a failure
  std::vector<double> costs_s_;     // of each trial
  std::vector<double> worst_first_;
  double best_ = 0, median_ = 0;
  std::vector<double> moments_s_;
  std::vector<double> random_;  // at each moment
};

}  // namespace gktune

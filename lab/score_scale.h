#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "gktune/result.h"
#include "tuner/recording/recording.h"

namespace gktune {

// One evaluation of a strategy's run.
struct ScoredStep {
  std::size_t trial = 0;  // index in the recording
  // The strategy's own time: to choose the configuration and to learn from earlier trials.
  double own_s = 0;
};
using ScoredRun = std::vector<ScoredStep>;

// Is a strategy's own time added to the cost of an evaluation?
enum class OwnTime { counted, ignored };

struct Score {
  double mean = 0;    // the mean over the moments of the budget
  double at_end = 0;  // the score at the end of the budget
};

// Scores runs over one recording, after Willemsen et al., "A Methodology for Comparing Optimization
// Algorithms for Auto-Tuning" (2024). An evaluation, also a failed one, costs the time that was recorded for
// it. The budget is the time in which random search is expected to close 95 % of the gap between the median
// and the optimum. The score is (random − found) / (random − optimum), taken at 1000 moments of the budget: 0
// for random search, 1 for a run that finds the optimum at once.
class ScoreScale {
 public:
  // A recording whose times are all equal is an error.
  static Result<ScoreScale> make(const Recording& recording);

  double budget_s() const { return moments_s_.back(); }
  double optimum() const { return best_; }
  Score score(std::span<const ScoredRun> runs, OwnTime own_time) const;
  // The distance between the optimum and the best of a run's first evaluations, divided by the optimum; the
  // median of all runs. Infinite if most runs find nothing valid.
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

// A smooth curve through points that never overshoots them: cubic pieces with the slopes of Fritsch and
// Butland (1984), as in scipy's PchipInterpolator. Requires two or more points with ascending x.
class MonotoneCurve {
 public:
  MonotoneCurve(std::vector<double> x, std::vector<double> y);
  double at(double x) const;

 private:
  std::vector<double> x_, y_, slopes_;
};

}  // namespace gktune

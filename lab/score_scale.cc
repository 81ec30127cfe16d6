#include "lab/score_scale.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "tuner/measure/statistics.h"

namespace gktune {
namespace {

constexpr std::size_t kMoments = 1000;

std::vector<double> evenly(double first, double last, std::size_t count) {
  std::vector<double> points(count);
  for (std::size_t i = 0; i < count; ++i)
    points[i] = first + static_cast<double>(i) * ((last - first) / static_cast<double>(count - 1));
  points.back() = last;
  return points;
}

double mean(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0) / static_cast<double>(numbers.size());
}

// The slope at the first of three points, from the lengths and slopes of the two pieces after it.
double end_slope(double length, double next_length, double slope, double next_slope) {
  const double estimate = ((2 * length + next_length) * slope - length * next_slope) / (length + next_length);
  if (std::signbit(estimate) != std::signbit(slope) || slope == 0) return 0;
  if (std::signbit(slope) != std::signbit(next_slope) && std::abs(estimate) > 3 * std::abs(slope))
    return 3 * slope;
  return estimate;
}

}  // namespace

Result<ScoreScale> ScoreScale::make(const Recording& recording) {
  ScoreScale scale;
  std::vector<double> valid_costs, failed_costs;
  for (const Trial& trial : recording.trials) {
    scale.costs_s_.push_back(cost_s(trial));
    scale.objectives_.push_back(trial.ok() ? trial.objective : std::numeric_limits<double>::quiet_NaN());
    if (trial.ok()) scale.worst_first_.push_back(trial.objective);
    (trial.ok() ? valid_costs : failed_costs).push_back(cost_s(trial));
  }
  std::ranges::sort(scale.worst_first_, std::greater<>());
  if (scale.worst_first_.empty() || scale.worst_first_.front() == scale.worst_first_.back())
    return Error{recording.name + ": a score needs two configurations with different times"};
  scale.best_ = scale.worst_first_.back();
  scale.median_ =
      median_of_sorted(std::vector<double>(scale.worst_first_.rbegin(), scale.worst_first_.rend()));
  if (scale.median_ == scale.best_)
    return Error{recording.name + ": half of the configurations are the fastest, so any search is as good"};

  std::vector<double> sorted_costs = scale.costs_s_;
  std::ranges::sort(sorted_costs);
  const double typical_s = median_of_sorted(sorted_costs);
  if (typical_s <= 0) return Error{recording.name + ": the cost of the configurations is not recorded"};
  double mean_cost_s = mean(valid_costs);
  if (!failed_costs.empty()) {
    const auto failed = static_cast<double>(failed_costs.size());
    mean_cost_s += failed / static_cast<double>(recording.trials.size()) * mean(failed_costs);
  }
  const std::size_t first = scale.evaluations(0.01);
  const std::size_t last = std::max(scale.evaluations(0.95), first + 2);
  scale.moments_s_ =
      evenly(static_cast<double>(first) * typical_s, static_cast<double>(last) * typical_s, kMoments);
  scale.expect_random_search(mean_cost_s);
  return scale;
}

// Number of random evaluations that close this share of the gap between the median and the best.
std::size_t ScoreScale::evaluations(double closed) const {
  const double target = best_ + (median_ - best_) * (1 - closed);
  const auto reached = std::ranges::find_if(worst_first_, [target](double each) { return each <= target; });
  auto rank = static_cast<std::size_t>(reached - worst_first_.begin());
  if (*reached == best_ && rank > 0) --rank;
  const auto left = static_cast<double>(worst_first_.size() + 1 - rank);
  return static_cast<std::size_t>(std::ceil(static_cast<double>(rank) / left));
}

// The expected best of this many draws without replacement, as a smooth function of the budget.
void ScoreScale::expect_random_search(double mean_cost_s) {
  const auto size = static_cast<double>(worst_first_.size());
  std::vector<double> draws;
  for (const double moment : moments_s_) draws.push_back(std::nearbyint(std::max(moment / mean_cost_s, 1.0)));
  std::vector<double> counts, expected;
  for (const double count : draws) {
    if (!counts.empty() && counts.back() == count) continue;
    const double rank = std::nearbyint(count * (size + 1) / (count + 1));
    counts.push_back(count);
    expected.push_back(worst_first_[static_cast<std::size_t>(std::min(size - 1, rank))]);
  }
  random_.clear();
  if (counts.size() < 2) {
    random_.assign(moments_s_.size(), expected.front());
    return;
  }
  const MonotoneCurve curve(counts, expected);
  for (const double count : evenly(draws.front(), draws.back(), draws.size()))
    random_.push_back(curve.at(count));
}

// The best at each moment; the median of the space until a run has found anything valid.
void ScoreScale::add_found(const ScoredRun& run, OwnTime own_time, std::vector<double>& sum) const {
  std::vector<bool> is_paid(objectives_.size());
  double elapsed_s = 0, best = std::numeric_limits<double>::infinity(), shown = median_;
  std::size_t moment = 0;
  const auto show_until = [&](double end_s) {
    for (; moment < moments_s_.size() && moments_s_[moment] < end_s; ++moment) sum[moment] += shown;
  };
  for (const ScoredStep& step : run) {
    if (own_time == OwnTime::counted) elapsed_s += step.own_s;
    if (!is_paid[step.trial]) elapsed_s += costs_s_[step.trial];
    is_paid[step.trial] = true;
    if (!(objectives_[step.trial] < best)) continue;
    show_until(elapsed_s);
    shown = best = objectives_[step.trial];
  }
  show_until(std::numeric_limits<double>::infinity());
}

Score ScoreScale::score(std::span<const ScoredRun> runs, OwnTime own_time) const {
  std::vector<double> sum(moments_s_.size());
  for (const ScoredRun& run : runs) add_found(run, own_time, sum);
  Score score;
  for (std::size_t i = 0; i < sum.size(); ++i) {
    const double found = sum[i] / static_cast<double>(runs.size());
    // A run scores 0 if random search is expected to have reached the best already.
    score.at_end = random_[i] > best_ ? (found - random_[i]) / (best_ - random_[i]) : 0;
    score.mean += score.at_end / static_cast<double>(sum.size());
  }
  return score;
}

double ScoreScale::excess(std::span<const ScoredRun> runs, std::size_t evaluations) const {
  std::vector<double> found;
  for (const ScoredRun& run : runs) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < std::min(evaluations, run.size()); ++i) {
      if (objectives_[run[i].trial] < best) best = objectives_[run[i].trial];
    }
    found.push_back((best - best_) / std::abs(best_));
  }
  if (found.empty()) return std::numeric_limits<double>::infinity();
  std::ranges::sort(found);
  return median_of_sorted(found);
}

MonotoneCurve::MonotoneCurve(std::vector<double> x, std::vector<double> y)
    : x_(std::move(x)), y_(std::move(y)), slopes_(x_.size()) {
  const std::size_t pieces = x_.size() - 1;
  std::vector<double> length(pieces), slope(pieces);
  for (std::size_t i = 0; i < pieces; ++i) {
    length[i] = x_[i + 1] - x_[i];
    slope[i] = (y_[i + 1] - y_[i]) / length[i];
  }
  if (pieces == 1) {
    slopes_ = {slope[0], slope[0]};
    return;
  }
  for (std::size_t i = 1; i < pieces; ++i) {
    if (slope[i - 1] * slope[i] <= 0) continue;
    const double before = 2 * length[i] + length[i - 1], after = length[i] + 2 * length[i - 1];
    slopes_[i] = (before + after) / (before / slope[i - 1] + after / slope[i]);
  }
  slopes_.front() = end_slope(length[0], length[1], slope[0], slope[1]);
  slopes_.back() = end_slope(length[pieces - 1], length[pieces - 2], slope[pieces - 1], slope[pieces - 2]);
}

double MonotoneCurve::at(double x) const {
  const auto above = std::upper_bound(x_.begin() + 1, x_.end() - 1, x);
  const auto i = static_cast<std::size_t>(above - x_.begin()) - 1;
  const double length = x_[i + 1] - x_[i], t = (x - x_[i]) / length;
  const double rise = y_[i + 1] - y_[i];
  return y_[i] + t * (length * slopes_[i] + t * (3 * rise - length * (2 * slopes_[i] + slopes_[i + 1]) +
                                                 t * (length * (slopes_[i] + slopes_[i + 1]) - 2 * rise)));
}

}  // namespace gktune

#include "tuner/search/bayes/observation.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "tuner/analysis/draws.h"

namespace gktune {
namespace {

constexpr double kSoftening = 0.2;
constexpr double kFailureQuantile = 0.8;

// On a log scale where that is possible: a maximised metric arrives with its sign turned.
double scaled(double objective, const Targets& targets) {
  if (!targets.is_log) return objective;
  return targets.is_negative ? -std::log(-objective) : std::log(objective);
}

std::vector<double> scaled_objectives(const std::vector<Observation>& observations, Targets& targets) {
  bool all_positive = true, all_negative = true;
  for (const Observation& each : observations) {
    if (!each.is_ok) continue;
    all_positive = all_positive && each.objective > 0;
    all_negative = all_negative && each.objective < 0;
  }
  targets.is_log = all_positive || all_negative;
  targets.is_negative = all_negative && !all_positive;
  std::vector<double> found;
  for (const Observation& each : observations)
    found.push_back(each.is_ok ? scaled(each.objective, targets) : 0);
  return found;
}

std::size_t levels_apart(const Point& a, const Point& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

// Adjusts for how much slower the searched study is than each related one, judged by the
// configurations nearest to each other.
void align_studies(const std::vector<Observation>& observations, std::vector<double>& logs) {
  std::map<std::uint16_t, std::vector<double>> differences;
  for (std::size_t own = 0; own < observations.size(); ++own) {
    if (observations[own].site.study != 0 || !observations[own].is_ok) continue;
    std::map<std::uint16_t, std::pair<std::size_t, std::size_t>> nearest;  // how far, which
    for (std::size_t other = 0; other < observations.size(); ++other) {
      const std::uint16_t study = observations[other].site.study;
      if (study == 0 || !observations[other].is_ok) continue;
      const std::pair found(levels_apart(observations[own].site.point, observations[other].site.point),
                            other);
      const auto [entry, is_new] = nearest.try_emplace(study, found);
      if (!is_new) entry->second = std::min(entry->second, found);
    }
    for (const auto& [study, found] : nearest) differences[study].push_back(logs[own] - logs[found.second]);
  }
  for (auto& [study, apart] : differences) std::ranges::sort(apart);
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const auto found = differences.find(observations[i].site.study);
    if (found != differences.end()) logs[i] += quantile(found->second, 0.5);
  }
}

void fill_times(const std::vector<Observation>& observations, Targets& targets) {
  std::vector<double> logs = scaled_objectives(observations, targets);
  if (std::ranges::any_of(observations, [](const Observation& each) { return each.site.study != 0; })) {
    align_studies(observations, logs);
  }
  std::vector<double> sorted;
  for (std::size_t i = 0; i < logs.size(); ++i) {
    if (observations[i].is_ok) sorted.push_back(logs[i]);
  }
  std::ranges::sort(sorted);
  auto times = targets.outputs.col(Targets::kTime);
  if (sorted.empty()) {
    times.setZero();
    return;
  }
  targets.low = sorted.front();
  targets.half_range = std::max((quantile(sorted, 0.5) - targets.low) / 2, 1e-9);
  targets.of_failure = quantile(sorted, kFailureQuantile);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double log = observations[i].is_ok ? logs[i] : targets.of_failure;
    times[static_cast<Eigen::Index>(i)] = std::log((log - targets.low) / targets.half_range + kSoftening);
  }
  targets.mean = times.mean();
  targets.deviation = std::max(std::sqrt((times.array() - targets.mean).square().mean()), 1e-9);
  times = (times.array() - targets.mean) / targets.deviation;
}

double log_cost_of(const Observation& observation) { return std::log(std::max(observation.cost_s, 1e-6)); }

void find_mean_costs(const std::vector<Observation>& observations, Targets& targets) {
  std::map<std::uint16_t, int> counts;
  for (const Observation& each : observations) {
    targets.mean_log_cost[each.site.study] += log_cost_of(each);
    ++counts[each.site.study];
  }
  for (auto& [study, mean] : targets.mean_log_cost) mean /= counts[study];
}

}  // namespace

double Targets::log_objective_of(double output) const {
  return low + half_range * (std::exp(output * deviation + mean) - kSoftening);
}

void Targets::fill_cost_and_failure(Eigen::Index row, const Observation& observation) {
  outputs(row, kCost) = log_cost_of(observation) - mean_log_cost.at(observation.site.study);
  outputs(row, kFailure) = observation.is_ok ? 0 : 1;
}

bool Targets::extend(const Observation& observation) {
  const bool has_sign = !is_log || (is_negative ? observation.objective < 0 : observation.objective > 0);
  if (!is_best_own || !mean_log_cost.contains(observation.site.study) || (observation.is_ok && !has_sign))
    return false;
  const double log = observation.is_ok ? scaled(observation.objective, *this) : of_failure;
  if (log < low) return false;
  const Eigen::Index row = outputs.rows();
  outputs.conservativeResize(row + 1, Eigen::NoChange);
  outputs(row, kTime) = (std::log((log - low) / half_range + kSoftening) - mean) / deviation;
  fill_cost_and_failure(row, observation);
  if (observation.is_ok) best = std::min(best, outputs(row, kTime));
  return true;
}

Targets targets_of(const std::vector<Observation>& observations) {
  Targets targets;
  targets.outputs.resize(static_cast<Eigen::Index>(observations.size()), Targets::kCount);
  fill_times(observations, targets);
  find_mean_costs(observations, targets);
  double best_elsewhere = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    targets.fill_cost_and_failure(row, observations[i]);
    if (!observations[i].is_ok) continue;
    double& best = observations[i].site.study == 0 ? targets.best : best_elsewhere;
    best = std::min(best, targets.outputs(row, Targets::kTime));
  }
  targets.is_best_own = targets.best < std::numeric_limits<double>::infinity();
  if (!targets.is_best_own) targets.best = best_elsewhere;
  return targets;
}

std::vector<std::size_t> best_and_others(const Targets& targets, std::size_t best, std::size_t others,
                                         std::mt19937_64& random) {
  std::vector<std::size_t> all(static_cast<std::size_t>(targets.outputs.rows()));
  std::iota(all.begin(), all.end(), 0u);
  if (all.size() <= best + others) return all;
  const auto times = targets.outputs.col(Targets::kTime);
  std::ranges::nth_element(all, all.begin() + static_cast<std::ptrdiff_t>(best), {},
                           [&](std::size_t i) { return times[static_cast<Eigen::Index>(i)]; });
  draw_to_front(random, all, best, others);
  all.resize(best + others);
  return all;
}

}  // namespace gktune

#include "tuner/search/bayes/observation.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "tuner/search/bayes/quantile.h"

namespace gktune {
namespace {

constexpr double kSoftening = 0.2;
constexpr double kFailureQuantile = 0.8;

// On a log scale where that is possible: a maximised metric arrives with its sign turned.
std::vector<double> log_objectives(const std::vector<Observation>& observations) {
  bool all_positive = true, all_negative = true;
  for (const Observation& each : observations) {
    if (!each.is_ok) continue;
    all_positive = all_positive && each.objective > 0;
    all_negative = all_negative && each.objective < 0;
  }
  std::vector<double> found;
  for (const Observation& each : observations) {
    found.push_back(!each.is_ok    ? 0
                    : all_positive ? std::log(each.objective)
                    : all_negative ? -std::log(-each.objective)
                                   : each.objective);
  }
  return found;
}

std::size_t levels_apart(const Point& a, const Point& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] != b[i];
  return count;
}

// How much slower the searched study is than each related one, judged by the configurations nearest to each
// other.
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
  std::vector<double> logs = log_objectives(observations);
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
  const double of_failure = quantile(sorted, kFailureQuantile);
  for (std::size_t i = 0; i < logs.size(); ++i) {
    const double log = observations[i].is_ok ? logs[i] : of_failure;
    times[static_cast<Eigen::Index>(i)] = std::log((log - targets.low) / targets.half_range + kSoftening);
  }
  targets.mean = times.mean();
  targets.deviation = std::max(std::sqrt((times.array() - targets.mean).square().mean()), 1e-9);
  times = (times.array() - targets.mean) / targets.deviation;
}

void fill_costs(const std::vector<Observation>& observations, Targets& targets) {
  std::map<std::uint16_t, std::pair<double, int>> sums;
  const auto log_cost = [](const Observation& each) { return std::log(std::max(each.cost_s, 1e-6)); };
  for (const Observation& each : observations) {
    auto& [sum, count] = sums[each.site.study];
    sum += log_cost(each);
    ++count;
  }
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const auto& [sum, count] = sums[observations[i].site.study];
    targets.outputs(static_cast<Eigen::Index>(i), Targets::kCost) = log_cost(observations[i]) - sum / count;
  }
}

}  // namespace

double Targets::log_objective_of(double output) const {
  return low + half_range * (std::exp(output * deviation + mean) - kSoftening);
}

Targets targets_of(const std::vector<Observation>& observations) {
  Targets targets;
  targets.outputs.resize(static_cast<Eigen::Index>(observations.size()), Targets::kCount);
  fill_times(observations, targets);
  fill_costs(observations, targets);
  double best_elsewhere = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    targets.outputs(row, Targets::kFailure) = observations[i].is_ok ? 0 : 1;
    if (!observations[i].is_ok) continue;
    double& best = observations[i].site.study == 0 ? targets.best : best_elsewhere;
    best = std::min(best, targets.outputs(row, Targets::kTime));
  }
  if (targets.best == std::numeric_limits<double>::infinity()) targets.best = best_elsewhere;
  return targets;
}

}  // namespace gktune

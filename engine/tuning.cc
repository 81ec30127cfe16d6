#include "engine/tuning.h"

#include <algorithm>

namespace gktune {
namespace {

// What the objective is about: the time, or the metric.
std::optional<double> score(const Trial& trial, const Objective& objective) {
  if (!trial.ok()) return std::nullopt;
  if (objective.metric.empty()) return trial.timing.median_us;
  const Value* value = trial.metrics.find(objective.metric);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return value->number();
}

std::optional<double> ratio(double best, double other, const Objective& objective) {
  if (best <= 0 || other <= 0) return std::nullopt;
  return !objective.metric.empty() && objective.maximize ? best / other : other / best;
}

}  // namespace

Gain gain_of(const Tuning& tuning) {
  if (!tuning.outcome.best) return {};
  auto best = score(*tuning.outcome.best, tuning.objective);
  if (!best) return {};

  std::vector<double> scores;
  std::optional<double> of_default;
  for (const Trial& trial : tuning.trials) {
    auto value = score(trial, tuning.objective);
    if (!value) continue;
    scores.push_back(*value);
    if (tuning.default_config && trial.config == *tuning.default_config) of_default = value;
  }
  Gain gain;
  if (scores.size() > 1) {
    auto middle = scores.begin() + std::ssize(scores) / 2;
    std::ranges::nth_element(scores, middle);
    gain.over_median = ratio(*best, *middle, tuning.objective);
  }
  if (of_default) gain.over_default = ratio(*best, *of_default, tuning.objective);
  return gain;
}

}  // namespace gktune

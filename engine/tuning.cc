#include "engine/tuning.h"

#include <algorithm>

namespace gktune {
namespace {

// The objective in its own unit: a time or a metric.
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

Gains gains_of(const Tuning& tuning) {
  if (!tuning.outcome.best) return {};
  const std::vector<Trial>& playoff = tuning.outcome.playoff;
  const auto best = score(*tuning.outcome.best, tuning.objective);
  const auto gain_over = [&](const Trial& other) -> std::optional<Gain> {
    const auto again = std::ranges::find(playoff, other.config, &Trial::config);
    const bool has_played = again != playoff.end();
    const auto other_score = score(has_played ? *again : other, tuning.objective);
    if (!best || !other_score) return std::nullopt;
    const auto factor = ratio(*best, *other_score, tuning.objective);
    if (!factor) return std::nullopt;
    // Both times are from the search if there was no playoff.
    const bool is_comparable = has_played || playoff.empty();
    return Gain{*factor, is_comparable ? Gain::Source::playoff : Gain::Source::search};
  };

  std::vector<const Trial*> good;
  Gains gains;
  for (const Trial& trial : tuning.trials) {
    if (!score(trial, tuning.objective)) continue;
    good.push_back(&trial);
    if (tuning.default_config && trial.config == *tuning.default_config)
      gains.over_default = gain_over(trial);
  }
  if (good.size() > 1) {
    std::ranges::stable_sort(good, {}, &Trial::objective);
    gains.over_median = gain_over(*good[good.size() / 2]);
  }
  return gains;
}

}  // namespace gktune

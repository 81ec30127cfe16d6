#include "engine/tuning.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace gktune {
namespace {

std::optional<double> ratio(double best, double other, const Objective& objective) {
  // False for NaN too.
  if (!(best > 0 && other > 0)) return std::nullopt;
  return !objective.metric.empty() && objective.maximize ? best / other : other / best;
}

}  // namespace

double score_of(const Trial& trial, const Objective& objective) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  if (!trial.ok()) return kNone;
  if (objective.metric.empty()) return trial.timing.median_us;
  const Value* value = trial.metrics.find(objective.metric);
  return value != nullptr && value->is_number() ? value->number() : kNone;
}

Gains gains_of(const Tuning& tuning) {
  if (!tuning.outcome.best) return {};
  const std::vector<Trial>& playoff = tuning.outcome.playoff;
  const double best = score_of(*tuning.outcome.best, tuning.objective);
  const auto gain_over = [&](const Trial& other) -> std::optional<Gain> {
    const auto again = std::ranges::find(playoff, other.config, &Trial::config);
    const bool has_played = again != playoff.end();
    const double other_score = score_of(has_played ? *again : other, tuning.objective);
    const auto factor = ratio(best, other_score, tuning.objective);
    if (!factor) return std::nullopt;
    // Both times are from the search if there was no playoff.
    const bool is_comparable = has_played || playoff.empty();
    return Gain{*factor, is_comparable ? Gain::Source::playoff : Gain::Source::search};
  };

  std::vector<const Trial*> good;
  Gains gains;
  for (const Trial& trial : tuning.trials) {
    if (std::isnan(score_of(trial, tuning.objective))) continue;
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

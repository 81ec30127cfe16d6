#include "tuner/measure/playoff_rule.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tuner/measure/sampling_noise.h"
#include "tuner/measure/statistics.h"

namespace gktune {
namespace {

// The decision is repeated for many finalists and rounds, so it needs several standard errors.
constexpr double kStandardErrors = 3.3;
// Standard deviation of a normal distribution, of its median absolute deviation.
constexpr double kDeviationOfMad = 1.4826;

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return median_of_sorted(values);
}

// True if the finalist may be faster than the leader by more than the tolerance.
bool may_win(const Samples& finalist, const Samples& leader, const PlayoffOptions& options) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < std::min(finalist.size(), leader.size()); ++i) {
    differences.push_back(std::log(finalist[i] / leader[i]));
  }
  const double middle = median(differences);
  std::vector<double> distances;
  for (double each : differences) distances.push_back(std::abs(each - middle));
  const auto rounds = static_cast<double>(differences.size());
  // A few rounds underestimate the noise. The expected one, of two samples, counts
  // as much as the fewest rounds.
  const double own = median(distances) * kDeviationOfMad * (1 + 2 / rounds);
  const double expected = options.deviation * std::numbers::sqrt2,
               weight = static_cast<double>(options.min_rounds);
  const double deviation =
      std::max(own, std::sqrt((rounds * own * own + weight * expected * expected) / (rounds + weight)));
  return kStandardErrors * median_error(deviation, differences.size()) - middle > options.tolerance;
}

}  // namespace

bool is_playoff_decided(const std::vector<Samples>& samples, const PlayoffOptions& options) {
  const Samples* leader = nullptr;
  double least = 0;
  for (const Samples& each : samples) {
    if (each.empty()) continue;
    const double middle = median(each);
    if (leader == nullptr || middle < least) {
      leader = &each;
      least = middle;
    }
  }
  if (leader == nullptr || leader->size() < options.min_rounds) return false;
  return std::ranges::none_of(samples, [&](const Samples& each) {
    return &each != leader && !each.empty() && may_win(each, *leader, options);
  });
}

}  // namespace gktune

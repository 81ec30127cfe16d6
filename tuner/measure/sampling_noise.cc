#include "tuner/measure/sampling_noise.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "tuner/measure/statistics.h"

namespace gktune {
namespace {

// The defaults weigh as much as this many samples.
constexpr double kPriorSamples = 20;
constexpr std::size_t kFewestDifferences = 10, kMostDifferences = 400;
// The timer's own resolution: no series of samples is more exact.
constexpr double kLeastDeviation = 0.0005;
// A sample this many deviations above the fastest one is a straggler.
constexpr double kStragglerDeviations = 6;
// Share of a normal distribution within 1.282 deviations. Stragglers in every tenth place do not reach it.
constexpr double kShare = 0.8, kDeviationsOfShare = 1.2815515655446004;

// The deviation from the mean that a normal variable exceeds with this probability, by bisection.
double normal_excess(double probability) {
  double low = -9, high = 9;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (std::erfc(middle / std::numbers::sqrt2) / 2 > probability ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double NoiseLevel::excess(double probability) const {
  if (probability >= 1) return 0;
  const double ordinary = (probability - straggler_share) / (1 - straggler_share);
  if (ordinary <= 1e-9) return std::numeric_limits<double>::infinity();
  return std::max(0.0, normal_excess(ordinary)) * deviation;
}

double median_error(double deviation, std::size_t samples) {
  // A median varies more than a mean.
  return 1.2533 * deviation / std::sqrt(static_cast<double>(samples));
}

double deviation_of_neighbours(std::span<const double> samples_us) {
  if (samples_us.size() < 2) return 0;
  double squares = 0;
  for (std::size_t i = 1; i < samples_us.size(); ++i) {
    // Symmetric: doubled and halved times give the same result.
    const double mean = (samples_us[i] + samples_us[i - 1]) / 2;
    if (mean > 0) squares += std::pow((samples_us[i] - samples_us[i - 1]) / mean, 2);
  }
  return std::sqrt(squares / static_cast<double>(samples_us.size() - 1) / 2);
}

void SamplingNoise::add(std::span<const double> samples_us) {
  if (samples_us.size() < 2) return;
  for (std::size_t i = 1; i < samples_us.size(); ++i) {
    differences_.push_back(deviation_of_neighbours(samples_us.subspan(i - 1, 2)));
    if (differences_.size() > kMostDifferences) differences_.pop_front();
  }
  const double fastest = *std::ranges::min_element(samples_us);
  const double limit = fastest * (1 + kStragglerDeviations * level().deviation);
  samples_ += static_cast<double>(samples_us.size());
  stragglers_ +=
      static_cast<double>(std::ranges::count_if(samples_us, [&](double us) { return us > limit; }));
}

NoiseLevel SamplingNoise::level() const {
  NoiseLevel level;
  level.straggler_share = (stragglers_ + level.straggler_share * kPriorSamples) / (samples_ + kPriorSamples);
  if (differences_.size() < kFewestDifferences) return level;
  std::vector<double> sorted(differences_.begin(), differences_.end());
  const auto place =
      sorted.begin() + static_cast<std::ptrdiff_t>(kShare * static_cast<double>(sorted.size() - 1));
  std::ranges::nth_element(sorted, place);
  level.deviation = std::max(*place / kDeviationsOfShare, kLeastDeviation);
  return level;
}

}  // namespace gktune

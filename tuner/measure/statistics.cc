#include "tuner/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace gktune {
namespace {

constexpr double kTail = 0.025;
// From here on the normal approximation names the same samples, or their neighbours.
constexpr std::size_t kExactSamples = 1000;

// Number of samples that may be left out at each end: the largest k with P(B(n, 1/2) < k) <= kTail.
std::size_t samples_outside(std::size_t n) {
  const auto count = static_cast<double>(n);
  if (n > kExactSamples) {
    return static_cast<std::size_t>(std::floor((count - 1.959963984540054 * std::sqrt(count)) / 2));
  }
  double probability = std::exp2(-count), below = 0;
  std::size_t k = 0;
  while (k < n / 2 && below + probability <= kTail) {
    below += probability;
    probability *= (count - static_cast<double>(k)) / (static_cast<double>(k) + 1);
    ++k;
  }
  return k;
}

}  // namespace

std::pair<std::size_t, std::size_t> median_interval(std::size_t n) {
  const std::size_t outside = samples_outside(n);
  const std::size_t low = outside == 0 ? 0 : outside - 1;
  return {low, n - 1 - low};
}

double median_of_sorted(std::span<const double> sorted) {
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

Timing summarize(std::span<const double> samples_us) {
  if (samples_us.empty()) return {};
  std::vector<double> sorted(samples_us.begin(), samples_us.end());
  std::ranges::sort(sorted);
  const auto [low, high] = median_interval(sorted.size());
  const auto count = static_cast<double>(sorted.size());
  Timing timing;
  timing.median_us = median_of_sorted(sorted);
  timing.low_us = sorted[low];
  timing.high_us = sorted[high];
  timing.min_us = sorted.front();
  timing.mean_us = std::accumulate(sorted.begin(), sorted.end(), 0.0) / count;
  double squares = 0;
  for (double sample : sorted) squares += (sample - timing.mean_us) * (sample - timing.mean_us);
  timing.deviation_us = sorted.size() > 1 ? std::sqrt(squares / (count - 1)) : 0;
  return timing;
}

}  // namespace gktune

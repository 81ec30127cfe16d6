#include "tuner/measure/statistics.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numbers>
#include <numeric>
#include <tuple>

namespace gktune {
namespace {

// A probability at each end, and the standard errors that leave it out.
struct Confidence {
  double tail, standard_errors;
};
constexpr Confidence kUsual = {0.025, 1.959963984540054};
// For a decision that is asked for again and again, after more samples: each time a third more than before.
constexpr Confidence kCertain = {0.0001, 3.7190164854556804};
constexpr std::size_t kFirstDecision = 16;

std::size_t samples_of_decision(std::size_t n) {
  std::size_t samples = kFirstDecision;
  while (samples + samples / 3 <= n) samples += samples / 3;
  return samples;
}

// For more samples the normal approximation gives the same indices, or the next ones.
constexpr std::size_t kExactSamples = 1000;

// Number of samples that may be left out at each end: the largest k with P(B(n, 1/2) < k) <= the tail.
std::size_t samples_outside(std::size_t n, Confidence confidence) {
  const auto count = static_cast<double>(n);
  if (n > kExactSamples) {
    return static_cast<std::size_t>(std::floor((count - confidence.standard_errors * std::sqrt(count)) / 2));
  }
  double probability = std::exp2(-count), below = 0;
  std::size_t k = 0;
  while (k < n / 2 && below + probability <= confidence.tail) {
    below += probability;
    probability *= (count - static_cast<double>(k)) / (static_cast<double>(k) + 1);
    ++k;
  }
  return k;
}

// The decision is repeated for many finalists and rounds, so it needs several standard errors.
constexpr double kStandardErrors = 3.3;
// The standard deviation of a normal distribution, as a multiple of its median absolute deviation.
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
  // A few rounds underestimate the noise. The expected noise of a difference of two samples has the weight of
  // `min_rounds` rounds.
  const double own = median(distances) * kDeviationOfMad * (1 + 2 / rounds);
  const double expected = options.deviation * std::numbers::sqrt2,
               weight = static_cast<double>(options.min_rounds);
  const double deviation =
      std::max(own, std::sqrt((rounds * own * own + weight * expected * expected) / (rounds + weight)));
  return kStandardErrors * median_error(deviation, differences.size()) - middle > options.tolerance;
}

// The bounds of the median of sorted values.
std::pair<double, double> bounds(const std::vector<double>& sorted, Confidence confidence) {
  const std::size_t outside = samples_outside(sorted.size(), confidence);
  const std::size_t low = outside == 0 ? 0 : outside - 1;
  return {sorted[low], sorted[sorted.size() - 1 - low]};
}

// With certain bounds of the factor.
void relate(Speedup& speedup, double low, double high, double effect) {
  const double least = 1 / (1 + effect), most = 1 + effect;
  speedup.is_not_slower = low >= least;
  if (low >= least && high <= most) {
    speedup.relation = Relation::equivalent;
  } else if (low > most) {
    speedup.relation = Relation::faster;
  } else if (high < least) {
    speedup.relation = Relation::slower;
  }
}

}  // namespace

std::pair<std::size_t, std::size_t> median_interval(std::size_t n) {
  const std::size_t outside = samples_outside(n, kUsual);
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

Speedup speedup_of(const Samples& candidate, const Samples& other, double effect) {
  std::vector<double> factors;
  for (std::size_t i = 0; i < std::min(candidate.size(), other.size()); ++i)
    factors.push_back(other[i] / candidate[i]);
  Speedup speedup;
  if (factors.size() >= kFirstDecision) {
    std::vector<double> first = factors;
    first.resize(samples_of_decision(factors.size()));
    std::ranges::sort(first);
    const auto [low, high] = bounds(first, kCertain);
    relate(speedup, low, high, effect);
  }
  if (factors.empty()) return speedup;
  std::ranges::sort(factors);
  speedup.factor = median_of_sorted(factors);
  std::tie(speedup.low, speedup.high) = bounds(factors, kUsual);
  return speedup;
}

Speedup mean_of(const std::vector<Speedup>& speedups, double effect) {
  double sum = 0, below = 0, above = 0;
  for (const Speedup& each : speedups) {
    sum += std::log(each.factor);
    below += std::pow(std::log(each.factor / each.low), 2);
    above += std::pow(std::log(each.high / each.factor), 2);
  }
  const auto count = static_cast<double>(speedups.size());
  const auto factor_at = [&](double distance) { return std::exp((sum + distance) / count); };
  Speedup mean{factor_at(0), factor_at(-std::sqrt(below)), factor_at(std::sqrt(above))};
  // The intervals of few samples are too narrow to decide.
  const bool is_decided = std::ranges::none_of(
      speedups, [](const Speedup& each) { return each.relation == Relation::undecided; });
  mean.is_not_slower = std::ranges::all_of(speedups, &Speedup::is_not_slower);
  const double widened = kCertain.standard_errors / kUsual.standard_errors;
  if (is_decided)
    relate(mean, factor_at(-widened * std::sqrt(below)), factor_at(widened * std::sqrt(above)), effect);
  return mean;
}

Histogram histogram_of(const std::vector<double>& values, std::size_t bins) {
  std::vector<double> finite;
  std::ranges::copy_if(values, std::back_inserter(finite), [](double value) { return std::isfinite(value); });
  Histogram histogram;
  if (finite.empty() || bins == 0) return histogram;
  const auto [least, greatest] = std::ranges::minmax(finite);
  if (least == greatest) return {{least, greatest}, {std::ssize(finite)}};
  const bool is_positive = least > 0;
  const auto scaled = [&](double value) { return is_positive ? std::log(value) : value; };
  const double low = scaled(least), width = (scaled(greatest) - low) / static_cast<double>(bins);
  // The logarithms of the two are equal, or their difference is too large for a double.
  if (!(width > 0) || !std::isfinite(width)) return {{least, greatest}, {std::ssize(finite)}};
  histogram.counts.resize(bins);
  for (const double value : finite) {
    const auto bin = static_cast<std::size_t>(std::max(0.0, (scaled(value) - low) / width));
    ++histogram.counts[std::min(bin, bins - 1)];
  }
  histogram.edges.push_back(least);
  for (std::size_t bin = 1; bin < bins; ++bin) {
    const double edge = low + width * static_cast<double>(bin);
    histogram.edges.push_back(is_positive ? std::exp(edge) : edge);
  }
  histogram.edges.push_back(greatest);
  return histogram;
}

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

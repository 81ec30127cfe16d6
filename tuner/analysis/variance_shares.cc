#include "tuner/analysis/variance_shares.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "tuner/analysis/draws.h"
#include "tuner/analysis/forest.h"

namespace gktune {
namespace {

constexpr std::size_t kTrees = 24;
constexpr std::size_t kMostObservations = 4096;  // more cost time and change the shares little
constexpr std::size_t kMostPoints = 16384;       // of the grid, for the total variance
constexpr std::size_t kFewestToHoldBack = 25;
constexpr std::uint64_t kSeed = 1;

Observations some_of(const Observations& all, const std::vector<std::size_t>& indices) {
  Observations some;
  some.factors = all.factors;
  for (const std::size_t index : indices) some.add(all.points[index], all.targets[index]);
  return some;
}

double variance_of(const std::vector<double>& values) {
  if (values.empty()) return 0;
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return squares / count;
}

// Rounding leaves a variance where all values are equal.
bool varies(const std::vector<double>& values) {
  double size = 0;
  for (const double value : values) size = std::max(size, std::abs(value));
  return variance_of(values) > 1e-18 * size * size;
}

Forest forest_of(const Observations& observations) {
  std::vector<Forest::Feature> features;
  for (std::size_t i = 0; i < observations.factors.size(); ++i) {
    const Observations::Factor& factor = observations.factors[i];
    features.push_back({i, factor.is_ordered, std::vector<float>(factor.values)});
    std::iota(features.back().of_place.begin(), features.back().of_place.end(), 0.0F);
  }
  Forest forest(std::move(features), kTrees, 1);
  std::mt19937_64 random(kSeed);
  const std::vector<double> weights(observations.size(), 1);
  forest.grow({observations.points, observations.targets, weights}, random);
  return forest;
}

// The variance of the forest over the whole grid, or over random points of a large one.
double total_variance(const Forest& forest, const std::vector<Observations::Factor>& factors) {
  std::size_t points = 1;
  for (const Observations::Factor& factor : factors) {
    points = factor.values > kMostPoints / points ? kMostPoints + 1 : points * factor.values;
    if (points > kMostPoints) break;
  }
  const bool is_whole = points <= kMostPoints;
  if (!is_whole) points = kMostPoints;
  std::mt19937_64 random(kSeed);
  std::vector<double> values;
  values.reserve(points);
  Point point(factors.size());
  for (std::size_t index = 0; index < points; ++index) {
    std::size_t rest = index;
    for (std::size_t factor = 0; factor < factors.size(); ++factor) {
      const std::size_t count = factors[factor].values;
      point[factor] = static_cast<std::uint16_t>((is_whole ? rest : random()) % count);
      rest /= count;
    }
    values.push_back(forest.mean_at(point));
  }
  return variance_of(values);
}

// The parts of the forest that depend on one factor alone, and on two beyond these: sums over the leaves. A
// leaf with mean c and share w of the grid adds c w d(x) to the part of a factor, and c w d(x) d'(y) to that
// of a pair, where d is 1/(share of the allowed values) - 1 for allowed values, and -1 for others.
class Parts {
 public:
  explicit Parts(const std::vector<Observations::Factor>& factors) : factors_(factors) {
    for (std::size_t first = 0; first < factors.size(); ++first) {
      single_.emplace_back(factors[first].values);
      for (std::size_t second = first + 1; second < factors.size(); ++second) {
        pairs_.emplace_back(factors[first].values * factors[second].values);
      }
    }
  }

  void add(const Forest::Box& leaf, double weight) {
    std::vector<std::size_t> bound;  // the factors that the leaf restricts
    std::vector<std::vector<double>> deviations(factors_.size());
    double product = leaf.output * weight;
    for (std::size_t factor = 0; factor < factors_.size(); ++factor) {
      const std::vector<bool>& allowed = leaf.allowed[factor];
      if (allowed.empty()) continue;
      const auto share =
          static_cast<double>(std::ranges::count(allowed, true)) / static_cast<double>(allowed.size());
      if (share == 0) return;
      if (share == 1) continue;
      product *= share;
      bound.push_back(factor);
      for (const bool is_allowed : allowed) {
        deviations[factor].push_back(is_allowed ? 1 / share - 1 : -1);
      }
    }
    for (std::size_t i = 0; i < bound.size(); ++i) {
      const std::vector<double>& first = deviations[bound[i]];
      std::vector<double>& part = single_[bound[i]];
      for (std::size_t x = 0; x < first.size(); ++x) part[x] += product * first[x];
      for (std::size_t j = i + 1; j < bound.size(); ++j) {
        const std::vector<double>& second = deviations[bound[j]];
        double* cell = pairs_[pair_index(bound[i], bound[j])].data();
        for (const double x : first) {
          for (const double y : second) *cell++ += product * x * y;
        }
      }
    }
  }

  double variance(std::size_t factor) const { return variance_of(single_[factor]); }
  double variance(std::size_t first, std::size_t second) const {
    return variance_of(pairs_[pair_index(first, second)]);
  }

 private:
  std::size_t pair_index(std::size_t first, std::size_t second) const {
    return first * (2 * factors_.size() - first - 1) / 2 + second - first - 1;
  }

  const std::vector<Observations::Factor>& factors_;
  std::vector<std::vector<double>> single_, pairs_;
};

double predicted_share(const Observations& observations, const std::vector<std::size_t>& shuffled) {
  if (shuffled.size() < kFewestToHoldBack) return -1;
  const auto border = shuffled.begin() + static_cast<std::ptrdiff_t>(shuffled.size() / 5);
  const Observations held_back = some_of(observations, {shuffled.begin(), border});
  const Forest forest = forest_of(some_of(observations, {border, shuffled.end()}));
  if (!varies(held_back.targets)) return -1;
  const double variance = variance_of(held_back.targets);
  double squares = 0;
  for (std::size_t i = 0; i < held_back.size(); ++i) {
    const double error = held_back.targets[i] - forest.mean_at(held_back.points[i]);
    squares += error * error;
  }
  return std::max(0.0, 1 - squares / static_cast<double>(held_back.size()) / variance);
}

}  // namespace

VarianceShares variance_shares(const Observations& observations) {
  const std::size_t count = observations.factors.size();
  VarianceShares shares;
  shares.factors.resize(count);
  for (std::size_t first = 0; first < count; ++first) {
    for (std::size_t second = first + 1; second < count; ++second) shares.pairs.push_back({first, second, 0});
  }
  std::vector<std::size_t> shuffled(observations.size());
  std::iota(shuffled.begin(), shuffled.end(), std::size_t{0});
  std::mt19937_64 random(kSeed);
  shuffle(random, shuffled);
  shuffled.resize(std::min(shuffled.size(), kMostObservations));
  const Observations some = some_of(observations, shuffled);
  if (some.size() < 2 || !varies(some.targets)) return shares;

  const Forest forest = forest_of(some);
  const double total = total_variance(forest, some.factors);
  if (total <= 0) return shares;
  Parts parts(some.factors);
  for (std::size_t tree = 0; tree < kTrees; ++tree) {
    for (const Forest::Box& leaf : forest.boxes(tree, count)) parts.add(leaf, 1.0 / kTrees);
  }
  double explained = 0;
  for (std::size_t factor = 0; factor < count; ++factor) {
    explained += shares.factors[factor] = std::min(1.0, parts.variance(factor) / total);
  }
  for (VarianceShares::Pair& pair : shares.pairs) {
    explained += pair.share = std::min(1.0, parts.variance(pair.first, pair.second) / total);
  }
  shares.rest = std::max(0.0, 1 - explained);
  shares.predicted = predicted_share(observations, shuffled);
  return shares;
}

}  // namespace gktune

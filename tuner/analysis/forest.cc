#include "tuner/analysis/forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "tuner/analysis/draws.h"

namespace gktune {

class Forest::Grower {
 public:
  Grower(Forest& forest, const Rows& rows, std::mt19937_64& random)
      : forest_(forest), rows_(rows), random_(random), order_(rows.points.size()) {
    for (const Feature& feature : forest.features_) {
      for (const Point& point : rows.points) numbers_.push_back(feature.of_place[point[feature.factor]]);
    }
    for (std::size_t i = 0; i < rows.points.size(); ++i) {
      weighted_.push_back(rows.weights[i] * rows.outputs[i * forest.outputs_]);
    }
  }

  void grow_tree() {
    std::iota(order_.begin(), order_.end(), 0u);
    forest_.roots_.push_back(static_cast<std::uint32_t>(forest_.nodes_.size()));
    grow_node(order_);
  }

 private:
  using Range = std::span<std::uint32_t>;  // the rows of a node

  void grow_node(Range range) {
    const std::size_t place = forest_.nodes_.size();
    forest_.nodes_.emplace_back();
    const auto split = best_split(range);
    if (!split) {
      forest_.nodes_[place].leaf = add_leaf(range);
      return;
    }
    const float* const numbers = numbers_of(split->feature);
    const auto middle = std::partition(range.begin(), range.end(), [&](std::uint32_t row) {
      return forest_.goes_left(*split, numbers[row]);
    });
    const auto left = static_cast<std::size_t>(middle - range.begin());
    forest_.nodes_[place] = *split;
    grow_node(range.first(left));
    forest_.nodes_[place].right = static_cast<std::uint32_t>(forest_.nodes_.size());
    grow_node(range.subspan(left));
  }

  // The best of one random split by each feature. Empty if all rows have the same value of every feature.
  std::optional<Node> best_split(Range range) {
    std::optional<Node> best;
    double most = -1;
    for (std::uint32_t feature = 0; feature < forest_.features_.size() && range.size() > 1; ++feature) {
      const auto split = random_split(range, feature);
      const double explained = split ? explained_by(*split, range) : -1;
      if (explained > most) {
        most = explained;
        best = split;
      }
    }
    return best;
  }

  // A split at a random value of the feature. Empty if all rows have the same value.
  std::optional<Node> random_split(Range range, std::uint32_t feature) {
    const float* const numbers = numbers_of(feature);
    float low = numbers[range[0]], high = low;
    for (const std::uint32_t row : range) {
      low = std::min(low, numbers[row]);
      high = std::max(high, numbers[row]);
    }
    if (low == high) return std::nullopt;
    Node split{.feature = feature};
    split.threshold = forest_.features_[feature].is_ordered
                          ? high - static_cast<float>(draw_uniform(random_)) * (high - low)  // above `low`
                          : numbers[range[draw_place(random_, range.size())]];
    return split;
  }

  // The sum of squares that the means of the two sides explain. The sum of squares of all rows is the same
  // for every split, so the best split explains the most. Negative if the rows of one side have no weight.
  double explained_by(const Node& split, Range range) const {
    const float* const numbers = numbers_of(split.feature);
    double weight[2] = {0, 0}, sum[2] = {0, 0};
    for (const std::uint32_t row : range) {
      const std::size_t side = forest_.goes_left(split, numbers[row]) ? 0 : 1;
      weight[side] += rows_.weights[row];
      sum[side] += weighted_[row];
    }
    if (!(weight[0] > 0 && weight[1] > 0)) return -1;
    return sum[0] * sum[0] / weight[0] + sum[1] * sum[1] / weight[1];
  }

  std::uint32_t add_leaf(Range range) {
    const std::size_t width = forest_.outputs_, begin = forest_.leaves_.size();
    forest_.leaves_.resize(begin + width);
    const std::span<double> means = std::span(forest_.leaves_).subspan(begin);
    double weight = 0;
    for (const std::uint32_t row : range) {
      weight += rows_.weights[row];
      for (std::size_t i = 0; i < width; ++i) means[i] += rows_.weights[row] * rows_.outputs[row * width + i];
    }
    for (double& mean : means) mean /= std::max(weight, 1e-9);
    return static_cast<std::uint32_t>(begin);
  }

  const float* numbers_of(std::uint32_t feature) const { return numbers_.data() + feature * order_.size(); }

  Forest& forest_;
  const Rows& rows_;
  std::mt19937_64& random_;
  std::vector<std::uint32_t> order_;  // all rows; each node owns a range
  std::vector<float> numbers_;        // of the first feature for all rows, then of the second
  std::vector<double> weighted_;      // the first output of each row times its weight
};

Forest::Forest(std::vector<Feature> features, std::size_t trees, std::size_t outputs)
    : features_(std::move(features)), trees_(trees), outputs_(outputs) {}

void Forest::grow(const Rows& rows, std::mt19937_64& random) {
  nodes_.clear();
  roots_.clear();
  leaves_.clear();
  Grower grower(*this, rows, random);
  for (std::size_t tree = 0; tree < trees_; ++tree) grower.grow_tree();
}

std::span<const double> Forest::predict(std::size_t tree, const Point& point) const {
  std::uint32_t at = roots_[tree];
  while (nodes_[at].right != 0) {
    const Feature& feature = features_[nodes_[at].feature];
    at = goes_left(nodes_[at], feature.of_place[point[feature.factor]]) ? at + 1 : nodes_[at].right;
  }
  return std::span(leaves_).subspan(nodes_[at].leaf, outputs_);
}

double Forest::mean_at(const Point& point) const {
  double sum = 0;
  for (std::size_t tree = 0; tree < trees_; ++tree) sum += predict(tree, point)[0];
  return sum / static_cast<double>(trees_);
}

std::vector<Forest::Box> Forest::boxes(std::size_t tree, std::size_t factors) const {
  struct Open {
    std::uint32_t node;
    Box box;
  };
  std::vector<Box> found;
  std::vector<Open> open;
  open.push_back({roots_[tree], {0, std::vector<std::vector<bool>>(factors)}});
  while (!open.empty()) {
    Open next = std::move(open.back());
    open.pop_back();
    const Node& node = nodes_[next.node];
    if (node.right == 0) {
      next.box.output = leaves_[node.leaf];
      found.push_back(std::move(next.box));
      continue;
    }
    const Feature& feature = features_[node.feature];
    for (const bool is_left : {true, false}) {
      Open child{is_left ? next.node + 1 : node.right, next.box};
      std::vector<bool>& places = child.box.allowed[feature.factor];
      if (places.empty()) places.assign(feature.of_place.size(), true);
      for (std::size_t place = 0; place < places.size(); ++place) {
        places[place] = places[place] && goes_left(node, feature.of_place[place]) == is_left;
      }
      open.push_back(std::move(child));
    }
  }
  return found;
}

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

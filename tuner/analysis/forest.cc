#include "tuner/analysis/forest.h"

#include <algorithm>
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

}  // namespace gktune

#include "tuner/analysis/grid_forest.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace gktune {

struct GridTree::Split {
  std::size_t factor = 0;
  double gain = 0;  // by which the sum of squared errors falls
  std::vector<bool> goes_left;
};

class GridTree::Builder {
 public:
  Builder(GridTree& tree, const Observations& observations, std::mt19937_64& random)
      : tree_(tree), observations_(observations), random_(random), factors_(observations.factors.size()) {
    std::iota(factors_.begin(), factors_.end(), std::size_t{0});
  }

  std::size_t build(std::span<std::uint32_t> points) {
    const std::size_t index = tree_.nodes_.size();
    tree_.nodes_.emplace_back();
    double sum = 0, squares = 0;
    for (const std::uint32_t point : points) sum += observations_.targets[point];
    const double mean = sum / static_cast<double>(points.size());
    for (const std::uint32_t point : points) squares += std::pow(observations_.targets[point] - mean, 2);
    tree_.nodes_[index].mean = mean;
    // Rounding leaves a rest where all targets are equal.
    if (squares <= 1e-18 * static_cast<double>(points.size()) * (1 + mean * mean)) return index;
    const Split split = best_split(points, mean);
    if (split.goes_left.empty()) return index;
    const auto middle = std::partition(points.begin(), points.end(), [&](std::uint32_t point) {
      return split.goes_left[observations_.point(point)[split.factor]];
    });
    const auto left_size = static_cast<std::size_t>(middle - points.begin());
    const std::size_t left = build(points.first(left_size));
    const std::size_t right = build(points.subspan(left_size));
    Node& node = tree_.nodes_[index];
    node.factor = split.factor;
    node.goes_left = split.goes_left;
    node.left = left;
    node.right = right;
    return index;
  }

 private:
  Split best_split(std::span<const std::uint32_t> points, double mean) {
    std::shuffle(factors_.begin(), factors_.end(), random_);
    const std::size_t half = (factors_.size() + 1) / 2;
    Split best;
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      if (i >= half && !best.goes_left.empty()) break;
      try_factor(factors_[i], points, mean, best);
    }
    return best;
  }

  struct Group {
    double sum = 0;  // of the deviations from the mean of the node
    double count = 0;
    std::size_t place = 0;
  };

  // Replaces `best` if a split by this factor is better. With the values in the order of their means, the
  // best of all subsets is a prefix; values that have an order keep it.
  void try_factor(std::size_t factor, std::span<const std::uint32_t> points, double mean, Split& best) {
    const Observations::Factor& kind = observations_.factors[factor];
    groups_.assign(kind.values, {});
    for (std::size_t place = 0; place < kind.values; ++place) groups_[place].place = place;
    for (const std::uint32_t point : points) {
      Group& group = groups_[observations_.point(point)[factor]];
      group.sum += observations_.targets[point] - mean;
      group.count += 1;
    }
    std::erase_if(groups_, [](const Group& group) { return group.count == 0; });
    if (groups_.size() < 2) return;
    if (!kind.is_ordered) {
      std::ranges::stable_sort(groups_, {}, [](const Group& group) { return group.sum / group.count; });
    }
    double total = 0;
    for (const Group& group : groups_) total += group.sum;
    double left_sum = 0, left_count = 0;
    const auto all = static_cast<double>(points.size());
    for (std::size_t last = 0; last + 1 < groups_.size(); ++last) {
      left_sum += groups_[last].sum;
      left_count += groups_[last].count;
      const double right_sum = total - left_sum, right_count = all - left_count;
      const double gain =
          left_sum * left_sum / left_count + right_sum * right_sum / right_count - total * total / all;
      // If no split reduces the error, as with a pure interaction, use the first one.
      if (!best.goes_left.empty() && gain <= best.gain) continue;
      best = {factor, gain, sides(kind, last)};
    }
  }

  // The places up to that of the group `last` go left. A place without points goes with its nearest neighbour
  // if places have an order, else to the side of more points.
  std::vector<bool> sides(const Observations::Factor& kind, std::size_t last) const {
    std::vector<bool> left(kind.values);
    if (kind.is_ordered) {
      const std::size_t border = (groups_[last].place + groups_[last + 1].place) / 2;
      for (std::size_t place = 0; place < kind.values; ++place) left[place] = place <= border;
      return left;
    }
    double left_count = 0, count = 0;
    for (std::size_t i = 0; i < groups_.size(); ++i) {
      count += groups_[i].count;
      if (i <= last) left_count += groups_[i].count;
    }
    left.assign(kind.values, left_count * 2 > count);
    for (std::size_t i = 0; i < groups_.size(); ++i) left[groups_[i].place] = i <= last;
    return left;
  }

  GridTree& tree_;
  const Observations& observations_;
  std::mt19937_64& random_;
  std::vector<std::size_t> factors_;
  std::vector<Group> groups_;
};

GridTree::GridTree(const Observations& observations, std::mt19937_64& random) {
  for (const Observations::Factor& factor : observations.factors) values_.push_back(factor.values);
  std::vector<std::uint32_t> points(observations.size());
  std::iota(points.begin(), points.end(), 0u);
  if (points.empty()) {
    nodes_.emplace_back();
  } else {
    Builder(*this, observations, random).build(points);
  }
}

double GridTree::at(std::span<const std::uint16_t> point) const {
  const Node* node = &nodes_.front();
  while (!node->goes_left.empty()) {
    node = &nodes_[node->goes_left[point[node->factor]] ? node->left : node->right];
  }
  return node->mean;
}

std::vector<GridTree::Leaf> GridTree::leaves() const {
  std::vector<Leaf> leaves;
  struct Open {
    std::size_t node;
    std::vector<std::vector<bool>> allowed;
  };
  std::vector<Open> open;
  open.push_back({0, std::vector<std::vector<bool>>(values_.size())});
  while (!open.empty()) {
    Open next = std::move(open.back());
    open.pop_back();
    const Node& node = nodes_[next.node];
    if (node.goes_left.empty()) {
      leaves.push_back({node.mean, std::move(next.allowed)});
      continue;
    }
    for (const bool goes_left : {true, false}) {
      Open child{goes_left ? node.left : node.right, next.allowed};
      std::vector<bool>& places = child.allowed[node.factor];
      if (places.empty()) places.assign(values_[node.factor], true);
      for (std::size_t place = 0; place < places.size(); ++place) {
        places[place] = places[place] && node.goes_left[place] == goes_left;
      }
      open.push_back(std::move(child));
    }
  }
  return leaves;
}

GridForest::GridForest(const Observations& observations, std::size_t trees, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  for (std::size_t i = 0; i < trees; ++i) trees_.emplace_back(observations, random);
}

double GridForest::at(std::span<const std::uint16_t> point) const {
  double sum = 0;
  for (const GridTree& tree : trees_) sum += tree.at(point);
  return sum / static_cast<double>(trees_.size());
}

}  // namespace gktune

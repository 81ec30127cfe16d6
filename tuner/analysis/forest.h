#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

namespace gktune {

// A point of a grid: the place of its value for each factor.
using Point = std::vector<std::uint16_t>;

// Extremely randomised trees (Geurts et al., 2006): a split draws one random threshold for each feature and
// takes the best. A leaf predicts the weighted means of its rows' outputs.
class Forest {
 public:
  // A splitting criterion: it assigns a number to each place of a factor.
  struct Feature {
    std::size_t factor = 0;
    bool is_ordered =
        true;  // a split separates small numbers from large ones; else one number from the others
    std::vector<float> of_place;
  };
  // The rows to learn from.
  struct Rows {
    std::span<const Point> points;
    std::span<const double> outputs;  // of the first point, then of the second
    std::span<const double> weights;  // one for each point
  };
  // The part of the grid that one leaf predicts.
  struct Box {
    double output = 0;                       // the first one
    std::vector<std::vector<bool>> allowed;  // by factor and place; empty: every place of the factor
  };

  // `outputs` is their number for each row.
  Forest(std::vector<Feature> features, std::size_t trees, std::size_t outputs);

  // Forgets what it learned before. Splits separate the values of the first output.
  void grow(const Rows& rows, std::mt19937_64& random);
  std::size_t trees() const { return trees_; }
  // The outputs that one tree predicts.
  std::span<const double> predict(std::size_t tree, const Point& point) const;
  // The mean of all trees' first outputs.
  double mean_at(const Point& point) const;
  std::vector<Box> boxes(std::size_t tree, std::size_t factors) const;

 private:
  struct Node {
    std::uint32_t feature = 0;
    float threshold = 0;      // smaller numbers go left; without an order, equal ones do
    std::uint32_t right = 0;  // the right child; the left child follows the node; 0: the node is a leaf
    std::uint32_t leaf = 0;   // the index of its outputs in `leaves_`
  };
  class Grower;
  bool goes_left(const Node& node, float number) const {
    return features_[node.feature].is_ordered ? number < node.threshold : number == node.threshold;
  }

  const std::vector<Feature> features_;
  const std::size_t trees_, outputs_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> roots_;
  std::vector<double> leaves_;
};

// Measurements at points of a grid.
struct Observations {
  struct Factor {
    std::size_t values = 1;   // its places are 0 … values - 1
    bool is_ordered = false;  // neighbouring places are alike: a number, not a name
  };
  std::vector<Factor> factors;
  std::vector<Point> points;
  std::vector<double> targets;  // one for each point

  std::size_t size() const { return targets.size(); }
  void add(const Point& point, double target) {
    points.push_back(point);
    targets.push_back(target);
  }
};

// How much of the variance of a measurement each factor explains alone, and each pair beyond its two factors:
// the functional analysis of variance of a forest that is fitted to the observations. Every combination of
// values counts the same, also those that were not observed.
struct VarianceShares {
  struct Pair {
    std::size_t first = 0, second = 0;  // factors
    double share = 0;
  };
  std::vector<double> factors;  // the share of each, of 1
  std::vector<Pair> pairs;      // of all two factors
  double rest = 0;              // three and more factors together, and noise
  // The share of the variance of observations that a forest predicts without having seen them: a fifth, held
  // back. Negative: too few observations to tell. The shares mean little where it is small.
  double predicted = -1;
};

// All shares are 0 if there are fewer than two observations or all are equal.
VarianceShares variance_shares(const Observations& observations);

}  // namespace gktune

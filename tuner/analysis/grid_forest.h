#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <vector>

#include "tuner/analysis/observations.h"

namespace gktune {

// A regression tree over a grid. A split sends some values of one factor to the left and the others to the
// right, so each leaf is a box: the product of a set of values for each factor.
class GridTree {
 public:
  // Fits all points exactly where their targets differ. Each split looks at half of the factors, drawn by
  // `random`, and at all of them if none of these helps.
  GridTree(const Observations& observations, std::mt19937_64& random);

  double at(std::span<const std::uint16_t> point) const;

  struct Leaf {
    double mean = 0;
    std::vector<std::vector<bool>> allowed;  // by factor and place; empty: every place of the factor
  };
  std::vector<Leaf> leaves() const;

 private:
  struct Node {
    double mean = 0;
    std::size_t factor = 0;
    std::vector<bool> goes_left;  // by place; empty: a leaf
    std::size_t left = 0, right = 0;
  };
  struct Split;
  class Builder;

  std::vector<std::size_t> values_;  // of each factor
  std::vector<Node> nodes_;
};

// The mean of several trees.
class GridForest {
 public:
  GridForest(const Observations& observations, std::size_t trees, std::uint64_t seed);

  double at(std::span<const std::uint16_t> point) const;
  const std::vector<GridTree>& trees() const { return trees_; }

 private:
  std::vector<GridTree> trees_;
};

}  // namespace gktune

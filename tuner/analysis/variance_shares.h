#pragma once

#include <cstddef>
#include <vector>

#include "tuner/analysis/forest.h"

namespace gktune {

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

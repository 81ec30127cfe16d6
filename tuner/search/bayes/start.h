#pragma once

#include <random>
#include <span>
#include <vector>

#include "tuner/search/bayes/features.h"
#include "tuner/search/untried.h"

namespace gktune {

// Proposes configurations before a model knows enough: well aligned and small ones, which compile quickly,
// rarely fail and are rarely slow, far from each other.
class Start {
 public:
  Start(const Features& features, Untried& untried, std::mt19937_64& random);
  // Requires a non-empty untried set.
  Space::Ranks propose(std::span<const Point> known, std::mt19937_64& random);

 private:
  double distance(const Point& a, const Point& b) const;

  const Features& features_;
  Untried& untried_;
  std::vector<Space::Ranks> pool_;
  std::vector<double> middle_;  // the mean position of the pool
};

}  // namespace gktune

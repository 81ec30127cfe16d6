#pragma once

#include <random>
#include <span>
#include <vector>

#include "tuner/search/bayes/features.h"
#include "tuner/search/untried.h"

namespace gktune {

struct StartSettings {
  double aligned_share = 0.1;  // of all configurations
  double small_share = 0.25;   // of the aligned ones
};

// Proposes configurations before a model knows enough, far from each other. Where several parameters can be
// aligned well or badly, it proposes well aligned and small ones: they compile quickly, rarely fail and are
// rarely slow. Elsewhere size predicts little, and the first points cover the whole space.
class Start {
 public:
  Start(const Features& features, Untried& untried, std::mt19937_64& random,
        const StartSettings& settings = {});
  // Requires a non-empty untried set.
  Space::Ranks propose(std::span<const Point> known, std::mt19937_64& random);

 private:
  void keep_small_and_aligned(const StartSettings& settings);
  double distance(const Point& a, const Point& b) const;

  const Features& features_;
  Untried& untried_;
  std::vector<Space::Ranks> pool_;
  std::vector<double> middle_;  // the mean position of the pool
};

}  // namespace gktune

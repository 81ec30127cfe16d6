#pragma once

#include <cstddef>
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

// Proposes configurations until a model knows enough. If several parameters can be aligned well or badly, it
// proposes well aligned and small configurations that are far from each other: they compile quickly, rarely
// fail and are rarely slow. In other spaces size predicts little, and points far from each other tend to be
// slow: there it proposes the configuration that brings most of the space near to a known one.
class Start {
 public:
  Start(const Features& features, Untried& untried, std::mt19937_64& random,
        const StartSettings& settings = {});
  // Requires a non-empty untried set. `known` grows from call to call.
  Space::Ranks propose(std::span<const Point> known, std::mt19937_64& random);
  // True if it proposes small, well aligned configurations.
  bool is_small() const { return is_small_; }
  // The configurations that it may still propose, or a sample of them.
  std::vector<Space::Ranks> untried() const;

 private:
  void keep_small_and_aligned(const StartSettings& settings);
  void note_known(std::span<const Point> known);
  double distance(const Point& a, const Point& b) const;
  double distance_from_middle(const Point& point) const;
  double distance_from_survey(const Point& point) const;

  const Features& features_;
  Untried& untried_;
  std::vector<Space::Ranks> pool_;
  bool is_small_ = false;
  std::vector<double> middle_;   // the mean position of the pool
  std::vector<Point> survey_;    // a sample of the pool
  std::vector<double> nearest_;  // the distance of each in the survey from the nearest known point
  std::size_t noted_ = 0;        // number of known points that `nearest_` includes
};

// At most `limit` different untried configurations for a model to choose from: all of them if the limit
// allows it, else neighbours of the best known ones, neighbours of these neighbours, and random others.
std::vector<Space::Ranks> candidates(Untried& untried, std::span<const Space::Ranks> best_first,
                                     std::size_t limit, std::mt19937_64& random);

}  // namespace gktune

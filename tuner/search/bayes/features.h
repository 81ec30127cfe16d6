#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <random>
#include <span>
#include <vector>

#include "tuner/analysis/forest.h"
#include "tuner/space/solver/space.h"

namespace gktune {

inline double squared(double x) { return x * x; }

// One parameter that has more than one value.
struct Dimension {
  // A value, or neighbouring values of a parameter that has very many.
  struct Level {
    float position = 0;  // among the values, in [0, 1]
    float twos = 0;      // the number of factors of two in the value, scaled to [0, 1]
    float roundness = 0;  // the share of the factors of two in the value's magnitude; 1: a power of two
  };
  std::uint32_t parameter = 0;
  bool is_categorical = false;  // its levels have no order
  bool has_twos = false;        // its levels have `twos` and `roundness`
  std::vector<Level> levels;
  std::vector<std::uint16_t> level_of;  // for each rank
  std::vector<double> size_of;  // for each rank: the logarithm of the value; empty: the size means little
};

// Maps configurations to points: a point has the level of each dimension. The position of a number is the
// mean of its position by order and its position by magnitude. The factors of two are a separate feature: a
// GPU treats 48, 64 and 96 alike, but not 63, and often prefers 64 to the other two.
class Features {
 public:
  explicit Features(const Space& space);

  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  Point point(std::span<const std::uint32_t> ranks) const;
  // The sum of `twos` over the dimensions: a high sum means well aligned numbers.
  double alignment(const Point& point) const;

 private:
  std::vector<Dimension> dimensions_;
};

// A configuration in a study. Study 0 is the searched one; the others are related studies.
struct Site {
  Point point;
  std::uint16_t study = 0;
};

// The model's view of a trial.
struct Observation {
  Space::Ranks ranks;
  Site site;
  bool is_ok = false;
  double objective = 0;  // if is_ok
  double cost_s = 0;     // time to compile and run it
};

// Training targets of a model, one row per observation.
struct Targets {
  static constexpr Eigen::Index kTime = 0, kCost = 1, kFailure = 2, kCount = 3;
  Eigen::MatrixXd outputs;
  // The lowest time output of the searched study or, while it has none, of all studies.
  double best = std::numeric_limits<double>::infinity();
  bool is_best_own = false;  // `best` is of the searched study
  // The mean log cost of each study.
  std::map<std::uint16_t, double> mean_log_cost;
  // Converts a time output back to the logarithm of the objective.
  double low = 0, half_range = 1, mean = 0, deviation = 1;
  double log_objective_of(double output) const;

  // Adds the row of another observation of the searched study, on the scales of the others.
  // Returns false if the observation does not fit these scales: it is better than all others, or
  // its objective has another sign.
  bool extend(const Observation& observation);
  void fill_cost_and_failure(Eigen::Index row, const Observation& observation);

  bool is_log = false, is_negative = false;  // how objectives are scaled
  double of_failure = 0;                     // the scaled objective of a failure
};

// The time output is the logarithm of the distance from the best, softened near the best. So the difference
// between good and very good counts more than the difference between bad and worse. A failure counts as slow.
Targets targets_of(const std::vector<Observation>& observations);

// Indices of `best` observations with the lowest times and of `others` random ones;
// of all if there are not more.
std::vector<std::size_t> best_and_others(const Targets& targets, std::size_t best, std::size_t others,
                                         std::mt19937_64& random);

// The quantile of sorted numbers at `share`, from 0 to 1. Requires a non-empty list.
inline double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace gktune

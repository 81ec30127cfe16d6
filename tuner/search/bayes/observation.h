#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "tuner/search/bayes/covariance.h"
#include "tuner/space/solver/space.h"

namespace gktune {

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

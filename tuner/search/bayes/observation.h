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
  double objective = 0;  // of one that is ok
  double cost_s = 0;     // to compile and to run
};

// Training targets of a model, one row per observation.
struct Targets {
  static constexpr Eigen::Index kTime = 0, kCost = 1, kFailure = 2, kCount = 3;
  Eigen::MatrixXd outputs;
  // The lowest time output of the searched study; of all studies while it has none.
  double best = std::numeric_limits<double>::infinity();
  bool is_best_own = false;  // of the searched study
  // The mean log cost of each study.
  std::map<std::uint16_t, double> mean_log_cost;
  // A time output as the objective it stands for, on the scale of `log_objective`.
  double low = 0, half_range = 1, mean = 0, deviation = 1;
  double log_objective_of(double output) const;

  // Adds the row of a further observation of the searched study, on the scales of the others. False where it
  // does not fit them: it is better than all others, or on another side of zero.
  bool extend(const Observation& observation);

  bool is_log = false, is_negative = false;  // how objectives are scaled
  double of_failure = 0;                     // its place among the scaled objectives
};

// The time output is the logarithm of the distance from the best, softened near it: what separates good from
// very good counts more than the difference between bad and worse. A failure counts as slow.
Targets targets_of(const std::vector<Observation>& observations);

// Observations: those with the lowest times, and others at random. All, where these are not more.
std::vector<std::size_t> best_and_others(const Targets& targets, std::size_t best, std::size_t others,
                                         std::mt19937_64& random);

}  // namespace gktune

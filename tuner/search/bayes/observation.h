#pragma once

#include <Eigen/Core>
#include <limits>
#include <vector>

#include "tuner/search/bayes/kernel.h"
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
  // A time output as the objective it stands for, on the scale of `log_objective`.
  double low = 0, half_range = 1, mean = 0, deviation = 1;
  double log_objective_of(double output) const;
};

// The time output is the logarithm of the distance from the best, softened near it: what separates good from
// very good counts more than the difference between bad and worse. A failure counts as slow.
Targets targets_of(const std::vector<Observation>& observations);

}  // namespace gktune

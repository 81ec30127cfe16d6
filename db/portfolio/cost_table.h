#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <vector>

#include "tuner/core/named_values.h"

namespace gktune {

// The cost of each configuration on each problem.
struct CostTable {
  static constexpr double kUnmeasured = std::numeric_limits<double>::infinity();
  static constexpr double kUnmeasuredLoss = 10;  // choices between configurations assume this loss

  std::vector<Problem> problems;
  std::vector<double> weights;  // of the problems
  std::vector<Config> configs;
  // loss[problem][config]: the cost over that of the problem's winner, less 1; at
  // least 0. Unmeasured: infinite.
  std::vector<std::vector<double>> loss;
  std::vector<std::size_t> winners;  // of the problems

  // The table of some of its problems.
  CostTable of(std::span<const std::size_t> kept) const;
};

}  // namespace gktune

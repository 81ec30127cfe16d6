#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "db/portfolio.h"
#include "gktune/result.h"
#include "gktune/values.h"

namespace gktune {

class Database;

// The cost of each configuration on each problem of a kernel's studies with one version, device, regime and
// objective.
struct CostTable {
  static constexpr double kUnmeasured = std::numeric_limits<double>::infinity();
  static constexpr double kUnmeasuredLoss = 10;  // choices between configurations assume this loss

  Study study;  // the first of them
  std::vector<Problem> problems;
  std::vector<Config> configs;
  // loss[problem][config]: the cost over that of the problem's winner, less 1; at
  // least 0. Unmeasured: infinite.
  std::vector<std::vector<double>> loss;
  std::vector<std::size_t> winners;  // of the problems

  // The table of some of its problems.
  CostTable of(std::span<const std::size_t> kept) const;
};

// A small set of configurations of which one stays within the loss on each problem, the one that serves the
// most first: each next one serves the most problems that no other serves. Exchanges lower the mean loss.
std::vector<std::size_t> small_cover(const CostTable& table, double within);

// This number of configurations with a small mean loss, in which an unmeasured problem counts as a loss of 1,000 %.
// Exact for one.
std::vector<std::size_t> least_loss(const CostTable& table, std::size_t count);

// A tree over the problems' axes that chooses among these configurations of the table. It divides as long as
// that lowers the mean loss by at least `gain` per division. The leaves name places in `configs`.
std::vector<PortfolioNode> selection_tree(const CostTable& table, std::span<const std::size_t> configs,
                                          double gain);

struct PortfolioRequest {
  double within = 0.02;
  std::size_t most_configs = 0;  // 0: as many as it takes
};

// Makes a portfolio of the table, and measures it on problems that are held back in turn.
Portfolio make_portfolio(const CostTable& table, const PortfolioRequest& request);

// Reads the costs of a kernel's latest version, a table for each device, regime and objective that has at least
// two tuned problems with the same axes. Finalists of a playoff that decides have the costs of the playoff, other
// configurations those of the search. An error if there is none.
Result<std::vector<CostTable>> read_costs(const Database& database, const std::string& kernel);

}  // namespace gktune

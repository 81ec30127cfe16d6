#pragma once

#include <map>
#include <string>
#include <vector>

#include "db/portfolio/cost_table.h"
#include "db/portfolio/portfolio.h"

namespace gktune {

struct PortfolioRequest {
  double within = 0.02;
  std::size_t most_configs = 0;  // 0: as many as it takes
};

// Makes a portfolio of the table, and measures it on problems that are held back in turn. The caller fills in
// the kernel, the device and the like.
Portfolio make_portfolio(const CostTable& table, const PortfolioRequest& request);

// A kernel's studies with one version, device, regime and objective.
struct PortfolioSource {
  Portfolio identity;  // kernel, fingerprint, device, regime and objective
  CostTable table;
};

// A weight of the problems that have these values; other problems have 1, and of
// several weights the last counts.
struct ProblemWeight {
  Problem problem;
  double weight = 1;

  bool applies_to(const Problem& other) const;
};

// Reads the costs of a kernel's latest version, one source for each device, regime and objective that has at
// least `fewest` tuned problems with the same axes. An error if there is none.
Result<std::vector<PortfolioSource>> read_costs(const std::filesystem::path& path, const std::string& kernel,
                                                const std::vector<ProblemWeight>& weights,
                                                std::size_t fewest = 2);

}  // namespace gktune

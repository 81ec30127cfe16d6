#pragma once

#include <span>
#include <vector>

#include "db/portfolio/cost_table.h"
#include "db/portfolio/portfolio.h"

namespace gktune {

// A tree over the problems' axes that chooses among these configurations of the table. It divides as long as
// that lowers the mean loss by at least `gain` per division. The leaves name places in `configs`.
std::vector<PortfolioNode> selection_tree(const CostTable& table, std::span<const std::size_t> configs,
                                          double gain);

}  // namespace gktune

#pragma once

#include <cstddef>
#include <vector>

#include "db/portfolio/cost_table.h"

namespace gktune {

struct Cover {
  std::vector<std::size_t> configs;  // the one that serves the most problems first
  std::size_t at_least = 0;          // a proven bound on the number of configurations
  bool is_smallest() const { return configs.size() == at_least; }
};

// The smallest set of configurations of which one stays within the loss on each problem. Branch
// and bound; after `most_nodes` of them the best set so far, and the bound. Of equally small
// sets one with a small mean loss.
Cover smallest_cover(const CostTable& table, double within, std::size_t most_nodes = 200'000);

// So many configurations with a small mean loss; an unmeasured problem counts as a
// loss of 1,000 %. Exact for one.
std::vector<std::size_t> least_loss(const CostTable& table, std::size_t count);

}  // namespace gktune

#pragma once

#include <string>
#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/complaints.h"

namespace gktune {

// What is aimed at, and how long.
Objective read_objective(const YamlNode& node, const std::vector<Metric>& metrics, Complaints& complaints);
Regime read_regime(const YamlNode& node, Complaints& complaints);
// Leaves alone what the node does not speak of. No strategies: any name will do.
void read_search(const YamlNode& node, const std::vector<std::string>& strategies, SearchLimits& search,
                 Complaints& complaints);

}  // namespace gktune

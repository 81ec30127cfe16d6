#pragma once

#include <string>
#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/error_list.h"

namespace gktune {

// What is aimed at, and how long.
Objective read_objective(const YamlNode& node, const std::vector<Metric>& metrics, ErrorList& errors);
Regime read_regime(const YamlNode& node, ErrorList& errors);
// Leaves alone what the node does not speak of. No strategies: any name will do.
void read_search(const YamlNode& node, const std::vector<std::string>& strategies, SearchLimits& search,
                 ErrorList& errors);

}  // namespace gktune

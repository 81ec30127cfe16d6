#pragma once

#include <string>
#include <vector>

#include "tuner/space/definition.h"
#include "tuner/space/reader/error_list.h"

namespace gktune {

// Readers of the keys objective, regime and search.
Objective read_objective(const YamlNode& node, const std::vector<Metric>& metrics, ErrorList& errors);
Regime read_regime(const YamlNode& node, ErrorList& errors);
// Changes only the values that the node sets. An empty list of strategies accepts any name.
void read_search(const YamlNode& node, const std::vector<std::string>& strategies, SearchLimits& search,
                 ErrorList& errors);

}  // namespace gktune

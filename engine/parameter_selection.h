#pragma once

#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/space/solver/parameter.h"

namespace gktune {

// Leaves each parameter that a selection names only the values that it lists: "way=naive,coalesced,tileM=64".
Result<void> select_values(std::vector<Parameter>& parameters, const std::vector<std::string>& selections);

}  // namespace gktune

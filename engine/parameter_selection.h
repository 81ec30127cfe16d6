#pragma once

#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/space/solver/parameter.h"

namespace gktune {

// Reduces each selected parameter to the listed values: "way=naive,coalesced,tileM=64".
Result<void> select_values(std::vector<Parameter>& parameters, const std::vector<std::string>& selections);

}  // namespace gktune

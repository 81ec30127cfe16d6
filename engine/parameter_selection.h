#pragma once

#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/space/solver/parameter.h"

namespace gktune {

// Removes the values that a selection does not list: "way=naive,coalesced,tileM=64" leaves two
// values of `way` and one of `tileM`. Parameters that no selection names keep all values. An
// unknown name or value is an error.
Result<void> select_values(std::vector<Parameter>& parameters, const std::vector<std::string>& selections);

}  // namespace gktune

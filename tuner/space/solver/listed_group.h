#pragma once

#include <cstddef>
#include <vector>

#include "tuner/space/solver/group_product.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// A group in which only the listed combinations are valid. `members` are parameters by number, ascending;
// each listed combination has a rank for every parameter.
Group listed_group(std::vector<std::uint32_t> members, std::vector<Space::Ranks> valid);

}  // namespace gktune

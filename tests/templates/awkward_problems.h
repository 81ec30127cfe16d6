#pragma once

#include <vector>

#include "tuner/core/named_values.h"
#include "tuner/space/definition.h"

namespace gktune {

// Problems of the sizes that kernels tend to be wrong for: nothing, one, around a warp and around tiles, odd
// primes, no multiples of a vector. Axes of other than integers keep each of their values. Several sizes
// within a problem differ: every two of them meet in every pair of worths.
std::vector<Problem> awkward_problems(const KernelDefinition& kernel);

}  // namespace gktune

#pragma once

#include <vector>

#include "gktune/values.h"
#include "tuner/space/definition.h"

namespace gktune {

// Problems of sizes that often reveal errors: zero, one, sizes near a warp and near tiles, odd primes, and
// sizes that are no multiple of a vector. Axes of other kinds than integers keep all their values. If a
// problem has several sizes, each pair of axes has every pair of values in some problem.
std::vector<Problem> awkward_problems(const KernelDefinition& kernel);

}  // namespace gktune

#pragma once

#include <vector>

#include "tuner/space/definition.h"

namespace gktune {

// For `gktune check`: which problems to look at, where not all of them matter.

// Of problems whose sources are the same, the first: compiling the others would find nothing new.
std::vector<Problem> one_for_each_source(const std::vector<Axis>& axes, const std::vector<Problem>& problems);

// Small sizes that kernels tend to be wrong for: none, one, around a warp, a prime. Integer axes have these
// in place of their own, as far as they stay below what the file lists; the other axes keep their values, and
// so do those that an input from a file depends on.
std::vector<Problem> awkward_problems(const KernelDefinition& kernel);

// Whether one of its sizes is 0: a launch that cannot be formed for it is nobody's fault.
bool is_empty(const Problem& problem);

}  // namespace gktune

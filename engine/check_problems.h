#pragma once

#include <vector>

#include "tuner/core/device_info.h"
#include "tuner/space/definition.h"

namespace gktune {

// The first of the problems that have the same source: compiling the others finds nothing new.
std::vector<Problem> one_for_each_source(const std::vector<Axis>& axes, const std::vector<Problem>& problems);

// Small sizes that reveal faults: zero, one, around a warp, a prime. They replace the values of integer axes
// and stay below the sizes that the file lists. Other axes, and those that an input from a file depends on,
// keep their values.
std::vector<Problem> awkward_problems(const KernelDefinition& kernel);

// Larger versions of these problems for configurations whose blocks are so large that one block does all the
// work. They are no larger than what the file lists.
std::vector<Problem> problems_of_several_blocks(const Definition& definition, const std::vector<Problem>& problems,
                                                const DeviceInfo& device);

// True if one of its sizes is 0. Its launches may be impossible to form, which is no fault of the kernel.
bool is_empty(const Problem& problem);

}  // namespace gktune

#pragma once

#include <vector>

#include "tuner/core/device_info.h"
#include "tuner/space/definition.h"

namespace gktune {

// Keeps the first of all problems that compile to the same source. Compiling the others finds nothing new.
std::vector<Problem> one_for_each_source(const std::vector<Axis>& axes, const std::vector<Problem>& problems);

// Small sizes that reveal faults: zero, one, about the size of a warp, a prime. They replace the values of
// integer axes and never exceed the sizes that the space file lists. An axis keeps its values if it is not an
// integer or if the size of an input file depends on it.
std::vector<Problem> awkward_problems(const KernelDefinition& kernel);

// Larger versions of the problems that a single block solves in some configurations: in as few configurations
// as possible. The versions never exceed the sizes that the space file lists.
std::vector<Problem> problems_of_several_blocks(const Definition& definition,
                                                const std::vector<Problem>& problems,
                                                const DeviceInfo& device);

// The awkward problems that have valid configurations, and larger versions of them: a kernel may require
// large sizes. If none has, all awkward problems, so that the first failure is reported.
std::vector<Problem> problems_to_sanitize(const Definition& definition, const DeviceInfo& device);

// True if a size is 0. A launch of an empty problem may have no blocks; the kernel is not at fault then.
bool is_empty(const Problem& problem);

}  // namespace gktune

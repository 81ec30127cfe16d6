#pragma once

#include <vector>

#include "gktune/result.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// The numbers of combinations that each kind of constraint rejects. A combination that several reject is
// counted once, for the first of: the file, the limit on a block's size, the limit on its shared memory.
struct SpaceCounts {
  Count combinations;
  Count rejected_by_file;
  Count rejected_by_block_limit;
  Count rejected_by_shared_memory_limit;
  Count valid;  // may be 0
};

Result<SpaceCounts, SpaceError> count_combinations(const std::vector<Parameter>& parameters,
                                       const std::vector<Constraint>& constraints, const Scope& scope,
                                       const SpaceLimits& limits = {});

}  // namespace gktune

#pragma once

#include <optional>

#include "tuner/device/host/include/gktune/abi.h"

namespace gktune {

// The operands and the result of a lane in an operation of its warp.
struct LaneWait {
  kernel::WarpOp op;
  unsigned mask;
  unsigned long long value;
  unsigned argument;
  unsigned long long result;
};

// The lane among those in the mask that reads from one that is not; all lanes of a shuffle.
std::optional<unsigned> find_absent_source(const LaneWait* waits, unsigned lanes);

// The results of the lanes in the mask, all of which do the same operation.
void compute_warp_results(LaneWait* waits, unsigned lanes);

}  // namespace gktune

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/cuda/cuda_device.h"
#include "tuner/device/run/compute_device.h"

namespace gktune {

// Processes that execute host code which a judge does not trust. Each has a context of its own on the GPU,
// and one block of memory there, which this process, its parent, opens too: the arguments of one candidate
// between zones with a pattern. The parent writes inputs there and reads outputs. All else that it has on the
// GPU the driver keeps from the child.

// Starts a process with the program `argv`, which has to call serve_apart(), for the job's candidate.
Result<std::unique_ptr<ApartProcess>, Failure> start_apart(CudaDevice& device,
                                                           const std::vector<std::string>& argv,
                                                           const RunJob& job);

// The task of that process until its parent closes the channel. `confine` takes rights from this process
// before it loads the candidate. Returns the exit code.
int serve_apart(const std::function<Result<std::unique_ptr<CudaDevice>>()>& open,
                const std::function<Result<void>()>& confine);

}  // namespace gktune

#pragma once

#include <memory>
#include <string>

#include "engine/devices.h"
#include "tuner/core/result.h"
#include "tuner/device/replay/replay_device.h"
#include "tuner/recording/recording.h"
#include "tuner/space/definition.h"

namespace gktune {

// The definition of a space with the configurations and the problem of a recording.
Definition definition_of(const Recording& recording, const std::string& path);

// Replays the recorded trials of this kernel. A file with a single recording serves any kernel. A recording
// whose problem has other axes than the kernel serves every problem.
Result<std::unique_ptr<ReplayDevice>, EngineError> open_replay(const KernelDefinition& kernel,
                                                               const FoundDevice& found);

}  // namespace gktune

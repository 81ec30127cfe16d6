#pragma once

#include <memory>
#include <string>

#include "engine/device/find_device.h"
#include "engine/engine_error.h"
#include "tuner/core/result.h"
#include "tuner/device/replay/replay_device.h"
#include "tuner/recording/recording.h"
#include "tuner/space/definition.h"

namespace gktune {

// A recording as a space to search: its configurations and its problem.
Definition definition_of(const Recording& recording, const std::string& path);

// Replays the trials of this kernel. A recording of one kernel stands for any, and one whose problem has
// other axes than the kernel stands for every problem.
Result<std::unique_ptr<ReplayDevice>, EngineError> open_replay(const KernelDefinition& kernel,
                                                               const FoundDevice& found);

}  // namespace gktune

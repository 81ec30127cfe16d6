#pragma once

#include <string>
#include <vector>

#include "engine/device/device_choice.h"
#include "engine/device/find_device.h"
#include "engine/engine_error.h"
#include "tuner/core/result.h"
#include "tuner/space/definition.h"

namespace gktune {

// Space files and the device that runs them.
struct OpenedSpaces {
  FoundDevice device;
  std::vector<Definition> definitions;
};

// Reads space files for the chosen device. Without a space file, each study of the recording to replay
// becomes a definition. C++ functions run on the host: if the choice is automatic, they form a group of their
// own. The result has at least one group, and each group at least one definition.
Result<std::vector<OpenedSpaces>, EngineError> open_spaces(const std::vector<std::string>& paths,
                                                           const DeviceChoice& choice,
                                                           const std::vector<std::string>& worker_argv,
                                                           const Notice& notice,
                                                           UnsafeOptions options = UnsafeOptions::refused,
                                                           const DeviceCache& cache = {});

}  // namespace gktune

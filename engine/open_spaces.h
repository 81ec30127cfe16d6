#pragma once

#include <string>
#include <vector>

#include "engine/device/device_choice.h"
#include "engine/device/find_device.h"
#include "engine/engine_error.h"
#include "tuner/core/result.h"
#include "tuner/space/definition.h"

namespace gktune {

// Space files that run on one device.
struct OpenedSpaces {
  FoundDevice device;
  std::vector<Definition> definitions;
};

// Reads space files for the chosen device. Without a space file, a recording to replay is searched: there is
// a definition for each of its studies. C++ functions run on the host, so with an automatic choice they form
// a group of their own. Neither the result nor a group is empty.
Result<std::vector<OpenedSpaces>, EngineError> open_spaces(const std::vector<std::string>& paths,
                                                           const DeviceChoice& choice,
                                                           const std::vector<std::string>& worker_argv,
                                                           const Notice& notice,
                                                           UnsafeOptions options = UnsafeOptions::refused,
                                                           const DeviceCache& cache = {});

}  // namespace gktune

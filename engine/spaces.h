#pragma once

#include <string>
#include <vector>

#include "db/identity.h"
#include "engine/devices.h"
#include "gktune/result.h"
#include "tuner/space/definition.h"
#include "tuner/space/solver/space.h"

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

// The configurations of a space file for one problem on a device. An empty space is an error. Its message
// names the constraint, or the device's limit, that leaves no configuration.
Result<Space, EngineError> space_of(const Definition& definition, const Problem& problem,
                                    const DeviceInfo& device);

// The parts of a space file that the database keeps: for the lookup, and for exported headers.
KernelSpace kernel_space_of(const Definition& definition, const DeviceInfo& device);
TextValues texts_of(const Definition& definition);

// The objective as studies store it: "time", "maximize GB/s", "minimize energy".
std::string objective_text(const Objective& objective);
// Reads objective_text(). Any other text means the time.
Objective objective_from_text(const std::string& text);

}  // namespace gktune

#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

class ComputeDevice;

// The kinds of device in this build, the host first.
std::vector<std::string> device_kinds();

// `name.kind` may be an architecture, sm_90: that backend compiles, and launches nothing. An error says why
// this build or machine has no such backend.
Result<std::unique_ptr<Backend>> open_backend(const BackendName& name, const BackendOptions& options);

// The hardware itself, in this process: candidates that run on it can crash it. `name.kind` is no
// architecture.
Result<std::unique_ptr<ComputeDevice>> open_compute_device(const BackendName& name,
                                                           const BackendOptions& options);

}  // namespace gktune

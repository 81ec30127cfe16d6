#pragma once

#include <memory>
#include <string>

#include "tuner/core/result.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// The limits of a GPU architecture, "sm_90", without a GPU. Limits that differ between chips are those of a
// common chip; the name says which. An error if the architecture is unknown.
Result<DeviceInfo> architecture_info(const std::string& architecture);

// Compiles for an architecture. Its runner launches nothing: it reports the resources of the compiled code
// and fails what the architecture cannot launch.
std::unique_ptr<Backend> open_architecture_backend(std::string architecture, const ToolkitPlaces& places);

}  // namespace gktune

#pragma once

#include <memory>

#include "tuner/device/cuda/toolkit.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// The GPU of that number. Looks for nothing before it is asked: compiling needs no GPU, running no compiler
// beyond NVRTC.
std::unique_ptr<Backend> open_cuda_backend(int ordinal, const ToolkitPlaces& places);

}  // namespace gktune

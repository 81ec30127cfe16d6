#pragma once

#include <memory>

#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/device_kernels.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// The GPU of that number. It opens the driver and NVRTC only when they are needed: compiling needs no GPU.
std::unique_ptr<Backend> open_cuda_backend(int ordinal, const ToolkitPlaces& places,
                                           std::string cache_dir = {});

}  // namespace gktune

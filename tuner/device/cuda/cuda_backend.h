#pragma once

#include <memory>
#include <string>

#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// The GPU of that number. It opens the driver and NVRTC only when they are needed: compiling needs no GPU.
// Without a folder for compiled code its own kernels are compiled each time.
std::unique_ptr<Backend> open_cuda_backend(int ordinal, const ToolkitPlaces& places, std::string cache_dir = {});

}  // namespace gktune

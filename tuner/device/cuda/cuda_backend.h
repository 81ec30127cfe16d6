#pragma once

#include <memory>
#include <string>

#include "gktune/result.h"
#include "tuner/core/device_info.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/device_kernels.h"
#include "tuner/device/cuda/driver/driver.h"
#include "tuner/device/run/compute_device.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// Asks the driver about a GPU. Makes no context.
Result<DeviceInfo> probe_gpu(const Driver& driver, int ordinal);

// The GPU's slot, as the management library names it: 0000:01:00.0. Empty: no such GPU.
std::string pci_bus_id(const Driver& driver, int ordinal);

// The GPU of that number. It opens the driver and NVRTC only when they are needed: compiling needs no GPU.
std::unique_ptr<Backend> open_cuda_backend(int ordinal, BackendOptions options);

// The GPU itself, with the driver loaded in this process.
Result<std::unique_ptr<ComputeDevice>> open_cuda_device(int ordinal, const ToolkitPlaces& places,
                                                        const std::string& cache_dir);

}  // namespace gktune

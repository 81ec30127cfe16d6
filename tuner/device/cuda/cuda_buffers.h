#pragma once

#include <memory>

#include "tuner/device/cuda/gpu.h"
#include "tuner/device/run/compute_device.h"
#include "tuner/measure/contents.h"

namespace gktune {

class CudaDevice;

// gktune's own kernels and copies take less than this on the largest problem.
inline constexpr double kOwnLimitS = 60;

// True if this GPU can map memory at addresses of choice, which a mapped buffer needs.
bool can_guard_memory(Gpu& gpu);

// Buffers that have no memory until they are placed.
// A buffer at the end or the start of memory that ends at unmapped addresses.
std::unique_ptr<DeviceBuffer> make_mapped_buffer(CudaDevice& device, GuardPattern pattern);
// A buffer between two zones with a known pattern.
std::unique_ptr<DeviceBuffer> make_zoned_buffer(Gpu& gpu, GuardPattern pattern);

}  // namespace gktune

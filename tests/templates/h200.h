#pragma once

#include "tuner/core/device_info.h"

namespace gktune {

// A GPU as far as spaces ask, for what needs none.
inline DeviceInfo h200() {
  DeviceInfo gpu;
  gpu.kind = "cuda";
  gpu.name = "NVIDIA H200";
  gpu.architecture = "sm_90";
  gpu.multiprocessors = 132;
  gpu.max_threads_per_block = gpu.max_block_x = gpu.max_block_y = 1024;
  gpu.max_block_z = 64;
  gpu.max_grid_x = 0x7fffffff;
  gpu.max_grid_y = gpu.max_grid_z = 65535;
  gpu.shared_bytes_per_block = 48 << 10;
  gpu.shared_bytes_per_block_optin = 227 << 10;
  return gpu;
}

}  // namespace gktune

#include "tuner/core/device_info.h"

namespace gktune {

NamedValues DeviceInfo::attributes() const {
  return {
      {"kind", kind},
      {"name", name},
      {"architecture", architecture},
      {"multiprocessors", multiprocessors},
      {"warp_size", warp_size},
      {"max_threads_per_block", max_threads_per_block},
      {"max_block_x", max_block_x},
      {"max_block_y", max_block_y},
      {"max_block_z", max_block_z},
      {"max_grid_x", max_grid_x},
      {"max_grid_y", max_grid_y},
      {"max_grid_z", max_grid_z},
      {"max_threads_per_multiprocessor", max_threads_per_multiprocessor},
      {"max_blocks_per_multiprocessor", max_blocks_per_multiprocessor},
      {"shared_bytes_per_block", shared_bytes_per_block},
      {"shared_bytes_per_block_optin", shared_bytes_per_block_optin},
      {"shared_bytes_per_multiprocessor", shared_bytes_per_multiprocessor},
      {"registers_per_block", registers_per_block},
      {"registers_per_multiprocessor", registers_per_multiprocessor},
      {"constant_bytes", constant_bytes},
      {"l2_bytes", l2_bytes},
      {"memory_bytes", memory_bytes},
      {"clock_khz", clock_khz},
      {"memory_clock_khz", memory_clock_khz},
      {"memory_bus_bits", memory_bus_bits},
  };
}

bool are_of_one_model(const DeviceInfo& a, const DeviceInfo& b) {
  return a.name == b.name && a.multiprocessors == b.multiprocessors;
}

}  // namespace gktune

#pragma once

#include <map>
#include <string>
#include <utility>

#include "tuner/core/device_info.h"

namespace gktune {

// The properties of a GPU of an architecture, from tables, for tests that need no
// GPU. sm_90 gives those of an H200.
inline DeviceInfo made_up_gpu(const std::string& architecture) {
  static const std::map<std::string, std::pair<int, int>> kMultiprocessorsAndShared{
      {"sm_80", {108, 163}}, {"sm_90", {132, 227}}, {"sm_100", {148, 227}}};
  const auto [multiprocessors, shared_kib] = kMultiprocessorsAndShared.at(architecture);
  DeviceInfo info;
  info.kind = "cuda";
  info.name = "made up";
  info.architecture = architecture;
  info.multiprocessors = multiprocessors;
  info.max_threads_per_block = info.max_block_x = info.max_block_y = 1024;
  info.max_block_z = 64;
  info.max_grid_x = 0x7fffffff;
  info.max_grid_y = info.max_grid_z = 65535;
  info.max_threads_per_multiprocessor = 2048;
  info.max_blocks_per_multiprocessor = 32;
  info.shared_bytes_per_block = 48 << 10;
  info.shared_bytes_per_block_optin = std::int64_t{shared_kib} << 10;
  info.shared_bytes_per_multiprocessor = std::int64_t{shared_kib + 1} << 10;
  info.registers_per_block = info.registers_per_multiprocessor = 65536;
  return info;
}

}  // namespace gktune

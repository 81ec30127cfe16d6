#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "db/answers/identity.h"
#include "tuner/core/device_info.h"
#include "tuner/core/trial.h"

namespace gktune {

inline const DeviceIdentity kH200{"cuda", "NVIDIA H200", "sm_90", 132};
inline const DeviceIdentity kH100{"cuda", "NVIDIA H100", "sm_90", 114};
inline const DeviceIdentity kCpu{"host", "CPU: AMD EPYC 9654", "x86-64", 2};

inline Study reduce_study(std::int64_t n = 1048576, const DeviceIdentity& device = kH200) {
  return {"reduce", "f1", device, {{"n", n}, {"T", "float"}}, Regime::cold, "time"};
}

// Every field differs from its default.
inline DeviceInfo example_device() {
  DeviceInfo device;
  device.kind = kH200.kind;
  device.name = kH200.name;
  device.architecture = kH200.architecture;
  device.multiprocessors = kH200.multiprocessors;
  std::int64_t figure = 1000;
  using Info = DeviceInfo;
  for (auto number : {&Info::warp_size,
                      &Info::max_threads_per_block,
                      &Info::max_block_x,
                      &Info::max_block_y,
                      &Info::max_block_z,
                      &Info::max_grid_x,
                      &Info::max_grid_y,
                      &Info::max_grid_z,
                      &Info::max_threads_per_multiprocessor,
                      &Info::max_blocks_per_multiprocessor,
                      &Info::shared_bytes_per_block,
                      &Info::shared_bytes_per_block_optin,
                      &Info::shared_bytes_per_multiprocessor,
                      &Info::registers_per_block,
                      &Info::registers_per_multiprocessor,
                      &Info::constant_bytes,
                      &Info::l2_bytes,
                      &Info::memory_bytes,
                      &Info::clock_khz,
                      &Info::memory_clock_khz,
                      &Info::memory_bus_bits}) {
    device.*number = figure += 2;
  }
  device.ecc = device.mig = true;
  device.driver = "550.54";
  device.runtime = "13.0";
  device.compiler = "NVRTC 13.0";
  return device;
}

// A trial that went well.
inline Trial ok_trial(Config config, double time_us, std::int64_t ended_ms = 1000) {
  Trial trial;
  trial.config = std::move(config);
  trial.samples_us = {time_us, time_us + 1, time_us - 1};
  trial.timing = {time_us, time_us - 1, time_us + 1, time_us - 1, time_us, 0.8};
  trial.objective = time_us;
  trial.ended_unix_ms = ended_ms;
  return trial;
}

inline Trial failed_trial(Config config, Status status, std::int64_t ended_ms = 1000) {
  Trial trial;
  trial.config = std::move(config);
  trial.status = status;
  trial.message = "it did not go well";
  trial.ended_unix_ms = ended_ms;
  return trial;
}

}  // namespace gktune

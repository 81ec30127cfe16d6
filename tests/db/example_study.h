#pragma once

#include <cstdint>
#include <utility>

#include "db/identity.h"
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
  figure_fields(
      [&]<class T>(const char*, T& member) {
        if constexpr (std::is_same_v<T, std::int64_t>) member = figure += 2;
      },
      device);
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

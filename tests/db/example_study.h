#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "db/identity.h"

namespace gktune {

inline const DeviceIdentity kH200{"cuda", "NVIDIA H200", "sm_90", 132};
inline const DeviceIdentity kH100{"cuda", "NVIDIA H100", "sm_90", 114};
inline const DeviceIdentity kCpu{"host", "CPU: AMD EPYC 9654", "x86-64", 2};

inline Study reduce_study(std::int64_t n = 1048576, const DeviceIdentity& device = kH200) {
  return {"reduce", "f1", device, {{"n", n}, {"T", "float"}}, Regime::cold, "time"};
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

#pragma once

#include <string>

#include "tuner/core/trial.h"

namespace gktune {

// What a device is in the database.
struct DeviceIdentity {
  std::string kind;  // cuda, host, replay
  std::string name;
  std::string architecture;
  std::int64_t multiprocessors = 0;
  friend bool operator==(const DeviceIdentity&, const DeviceIdentity&) = default;
};

// What trials have in common that may be compared with each other.
struct Study {
  std::string kernel;
  std::string fingerprint;  // of source, space and options
  DeviceIdentity device;
  Problem problem;
  Regime regime = Regime::cold;
  std::string objective;  // "time", "maximize GB/s"
};

}  // namespace gktune

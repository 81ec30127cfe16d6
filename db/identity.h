#pragma once

#include <string>

#include "db/device_identity.h"
#include "tuner/core/trial.h"

namespace gktune {

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

#pragma once

#include <string>

#include "db/answers/device_identity.h"
#include "tuner/core/trial.h"

namespace gktune {

// Trials of one study may be compared with each other.
struct Study {
  std::string kernel;
  std::string fingerprint;  // of sources, options, arguments and launches
  DeviceIdentity device;
  Problem problem;
  Regime regime = Regime::cold;
  std::string objective;  // "time", "maximize GB/s"
};

}  // namespace gktune

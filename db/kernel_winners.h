#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "db/identity.h"
#include "db/portfolio.h"
#include "tuner/core/device_info.h"
#include "tuner/core/trial.h"

namespace gktune {

// The winner of a study: of its playoff, else its best trial.
struct Winner {
  std::int64_t study_id = 0;
  Study study;
  // The trial has the samples, timing, objective and metrics of the playoff that it won, else its own.
  Trial trial;
  bool from_playoff = false;
  std::int64_t trials = 0, failed = 0;  // of the study
  std::int64_t updated_unix_ms = 0;     // when the latest trial of the study ended
  std::int64_t measured_unix_ms = 0;    // when the winner was measured
  SessionEnvironment environment;       // where it was measured
  // Changes in the database since: a later version of the kernel, a session in another environment.
  std::vector<std::string> changes;
};

// The winners of one version (fingerprint) of a kernel.
struct KernelVersion {
  std::vector<Winner> winners;  // the latest first
  // A few configurations for all problems of a device. Cold caches and time as the objective come first.
  std::vector<Portfolio> portfolios;
  KernelSpace space;
};

// The winners of one kernel, by which a lookup answers an application.
struct KernelWinners {
  std::vector<KernelVersion> versions;               // the latest first; each has a winner
  std::map<std::string, SessionEnvironment> latest;  // the newest environment of each device, by its name
  std::vector<DeviceInfo> devices;                   // as their latest sessions describe them
};

// The kernels of a database or of a bundle by their names.
using WinnersByKernel = std::map<std::string, KernelWinners, std::less<>>;

}  // namespace gktune

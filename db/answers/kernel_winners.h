#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/answers/identity.h"
#include "db/answers/kernel_space.h"
#include "db/answers/session_environment.h"
#include "db/portfolio/portfolio.h"

namespace gktune {

// The winner of a study.
struct Winner {
  Study study;
  Config config;
  double time_us = 0;
  // The environment of its measurement, and that of the latest session on its device. Null if unknown.
  std::shared_ptr<const SessionEnvironment> environment = {}, latest = {};
  bool has_later_version = false;  // another version of the kernel was tuned on its device later
};

// The winners of one version (fingerprint) of a kernel.
struct KernelVersion {
  std::vector<Winner> winners;  // the latest first
  // A few configurations for all problems of a device. Cold caches and time as the objective come first.
  std::vector<Portfolio> portfolios;
  KernelSpace space;
};

// The contents of a database or a bundle about one kernel.
struct KernelWinners {
  std::string kernel;
  std::vector<std::string> known_kernels;  // of the whole database
  std::vector<KernelVersion> versions;     // the latest first; each has a winner
  // The values of device.NAME in expressions, for the devices whose figures are stored.
  std::vector<std::pair<DeviceIdentity, NamedValues>> devices;
  std::vector<std::string> damage;  // rows that were left out, and why
};

// Winners of some kernels: of a database, of a bundle.
class WinnerSet {
 public:
  virtual ~WinnerSet() = default;
  virtual KernelWinners of(std::string_view kernel) const = 0;
};

}  // namespace gktune

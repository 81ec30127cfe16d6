#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "db/identity.h"
#include "db/kernel_space.h"
#include "tuner/core/result.h"

namespace gktune {

// The winner of a study.
struct Winner {
  Study study;
  Config config;
  double time_us = 0;
  std::string driver, runtime;  // versions that it was measured with; empty: unknown
};

// The winners of one version (fingerprint) of a kernel.
struct KernelVersion {
  std::vector<Winner> winners;  // the latest first
  // The configurations that are best over all problems of a device; their studies have no problem.
  std::vector<Winner> general;
  KernelSpace space;
};

// The contents of a database about one kernel.
struct KernelWinners {
  std::string kernel;
  std::vector<std::string> known_kernels;  // of the whole database
  std::vector<KernelVersion> versions;     // the latest first; each has a winner
  // The values of device.NAME in expressions, for the devices whose figures are stored.
  std::vector<std::pair<DeviceIdentity, NamedValues>> devices;
  std::vector<std::string> damage;  // rows that were left out, and why
};

// The winners of a database as they are stored. Reading them is quick; those of a kernel are parsed when they are
// asked for.
class Winners {
 public:
  // Opens the file, reads it and closes it.
  static Result<Winners> read(const std::filesystem::path& path);

  KernelWinners of(std::string_view kernel) const;

 private:
  // A text within texts_.
  struct Text {
    std::size_t at = 0, size = 0;
  };
  struct Session {
    std::string driver, runtime, figures;
  };
  // The properties that winners of different problems have in common.
  struct Group {
    std::string kernel, fingerprint, regime, objective;
    std::int64_t device = 0;
  };
  struct Row {
    std::size_t group = 0;
    std::int64_t study = 0, session = 0, updated_ms = 0;
    double time_us = 0;
    Text problem, config;
  };
  struct General {
    Group group;
    std::string config;
  };
  struct Space {
    std::string matching, constraints, default_config;
  };

  Text kept(std::string_view text);
  std::string_view text(Text text) const { return std::string_view(texts_).substr(text.at, text.size); }

  std::string texts_;
  std::vector<Group> groups_;
  std::map<std::string, std::vector<Row>, std::less<>> rows_;  // by kernel
  std::vector<General> general_;
  std::map<std::int64_t, DeviceIdentity> devices_;
  std::map<std::int64_t, Session> sessions_;
  std::map<std::pair<std::string, std::string>, Space> spaces_;  // by kernel and fingerprint
};

}  // namespace gktune

#pragma once

#include <chrono>
#include <compare>
#include <map>

#include "gktune/element_type.h"
#include "gktune/values.h"

namespace gktune {

// Quality of an answer, best first. `gktune best` and applications get it from the same function.
enum class Match {
  exact,              // this kernel, device and problem were tuned; the question names every axis
  nearest_problem,    // this device; the closest problem on a log scale
  same_architecture,  // another device of the same architecture
  // This device; the configuration with the best worst share of the optimum over its problems.
  portfolio,
  space_default,  // the default of the space file
  fallback,       // the default of the caller
  none,
};
std::string_view match_name(Match match);

// Identifies a device model. Trials of two devices with the same identity may be mixed.
struct DeviceIdentity {
  std::string kind;  // cuda, host, replay
  std::string name;
  std::string architecture;
  std::int64_t multiprocessors = 0;
  friend auto operator<=>(const DeviceIdentity&, const DeviceIdentity&) = default;
};

// Takes name, major, minor and multiProcessorCount of cudaDeviceProp.
DeviceIdentity cuda_device(std::string_view name, int major, int minor, int multiprocessors);

// An argument of a launch, for one problem.
struct ArgumentInfo {
  std::string name;
  ElementType type = ElementType::float32;
  bool is_scalar = false;
  std::uint64_t count = 1;  // elements of a buffer
  bool is_written = false;
};

// The configuration for a problem, and where it comes from.
struct Answer {
  Match match = Match::none;
  Config config;
  double time_us = 0;  // as measured for `problem` on `device`; 0: not measured
  Problem problem;     // the tuned problem; empty from the portfolio on
  DeviceIdentity device;
  std::string reason = {};  // from the portfolio on: why no winner answers; of a Kernel also: what failed
  // Each thing that has changed since the measurement, as `gktune best` names it: a later version of the source,
  // another driver, CUDA version or compiler. Empty: the answer is not stale.
  std::vector<std::string> stale = {};
  std::vector<ArgumentInfo> arguments = {};  // that launches of a Kernel pass

  explicit operator bool() const { return match != Match::none; }

  // The value of a parameter. An unknown parameter or one of another kind is a bug of the caller and throws
  // std::out_of_range or std::invalid_argument.
  const Value& value(std::string_view parameter) const;
  std::int64_t integer(std::string_view parameter) const;
  double real(std::string_view parameter) const;  // also for an integer
  bool boolean(std::string_view parameter) const;
  const std::string& text(std::string_view parameter) const;
};

// The versions that winners have to match. An empty member allows any.
struct Freshness {
  std::string fingerprint;  // of the sources: winners of others are stale
  std::string driver;       // version: winners measured with another major version are stale
  std::string runtime;      // version of CUDA: the same
  friend bool operator==(const Freshness&, const Freshness&) = default;
};

struct LookupSettings {
  // Questions about a device of the first name are answered as for a device of the second, whatever its number of
  // multiprocessors: {"NVIDIA H100 NVL", "NVIDIA H100"}.
  std::map<std::string, std::string> aliases = {};
  // Files in memory: a path that is found here is not read from the disk. Paths with their bytes.
  std::map<std::string, std::string> files = {};
  // A Lookup that is asked looks at its databases, but at most once per interval, and reads again those that have
  // changed. The earlier winners answer while a file cannot be read. 0: it reads them once.
  std::chrono::milliseconds follow_interval{0};

  // The device that answers for another.
  DeviceIdentity answered_as(const DeviceIdentity& device) const;
};

// A question, but for the problem.
struct Question {
  // Empty (or 0) members match any device; an empty device is the one on which the kernel was tuned last.
  DeviceIdentity device = {};
  Config fallback = {};      // the answer if there is no other
  Freshness freshness = {};  // winners that are stale by it do not answer
  // Anything worse is no answer.
  Match worst = Match::none;
};

}  // namespace gktune

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "db/answers/device_identity.h"
#include "tuner/core/named_values.h"

namespace gktune {

// Quality of an answer, best first. `gktune best` and applications get it from the same function.
enum class Match {
  exact,              // this kernel, device and problem were tuned; the question names every axis
  nearest_problem,    // this device; the closest problem on a log scale
  same_architecture,  // another device of the same architecture
  // This device; the configuration with the best worst share of the optimum over its problems.
  portfolio,
  space_default,      // the default of the space file
  fallback,           // the default of the caller
  none,
};
std::string_view match_name(Match match);

struct Answer {
  Match match = Match::none;
  Config config;
  double time_us = 0;  // as measured for `problem` on `device`; 0: not measured
  Problem problem;     // the tuned problem; empty from the portfolio on
  DeviceIdentity device;
  std::string reason;  // from the portfolio on: why no winner answers
  // Each thing that has changed since the measurement, as `gktune best` names it: a later version of the
  // source, another driver, CUDA version or compiler. Empty: the answer is not stale.
  std::vector<std::string> stale = {};

  explicit operator bool() const { return match != Match::none; }

  // The value of a parameter. An unknown parameter or one of another kind is a bug of the caller and throws
  // std::out_of_range or std::invalid_argument.
  const Value& value(std::string_view parameter) const;
  std::int64_t integer(std::string_view parameter) const;
  double real(std::string_view parameter) const;  // also for an integer
  bool boolean(std::string_view parameter) const;
  const std::string& text(std::string_view parameter) const;
};

}  // namespace gktune

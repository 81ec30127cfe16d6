#pragma once

#include <string>
#include <vector>

#include "tuner/core/named_values.h"

namespace gktune {

// The parts of a space file that the lookup needs.
struct KernelSpace {
  NamedValues matching;  // how axes match that say so: {"heads": "exact"}; see AxisMatching
  // Conditions on a configuration, a problem and a device in the expression language, without definitions.
  std::vector<std::string> constraints;
  Config default_config;
  friend bool operator==(const KernelSpace&, const KernelSpace&) = default;
};

// How the value of an axis in a question matches that of a tuned problem.
enum class AxisMatching {
  nearest,      // the nearest number on a log scale; the default for numbers
  exact,        // the same value only; the default for texts and booleans
  categorical,  // the same value first, then any other: all are equally far
};

}  // namespace gktune

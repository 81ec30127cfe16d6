#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "tuner/core/trial.h"

namespace gktune {

// Number of failed trials by status.
using Failures = std::map<Status, std::int64_t>;

inline Failures failures_of(const std::vector<Trial>& trials) {
  Failures failures;
  for (const Trial& trial : trials) {
    if (!trial.ok()) ++failures[trial.status];
  }
  return failures;
}

}  // namespace gktune

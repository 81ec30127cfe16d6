#pragma once

#include <optional>

#include "tuner/core/trial.h"

namespace gktune {

// A strategy: proposes configurations, and learns how they fared. Several may be asked for before any is
// told.
class Searcher {
 public:
  virtual ~Searcher() = default;
  // Nothing: there is nothing left to try. Never the same configuration twice, nor one that was told before.
  virtual std::optional<Config> ask() = 0;
  // Also told of what it did not ask for: earlier trials, the default.
  virtual void tell(const Trial& trial) = 0;
};

}  // namespace gktune

#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "tuner/core/trial.h"

namespace gktune {

// Trials to be played back, by configuration and problem. A trial without a problem stands for every problem.
class RecordedTrials {
 public:
  // The last trial of each configuration and problem counts.
  explicit RecordedTrials(std::vector<Trial> trials);
  // Null if it was not recorded.
  const Trial* find(const Config& config, const Problem& problem) const;

 private:
  std::unordered_map<std::string, Trial> trials_;
};

}  // namespace gktune

#pragma once

#include "tuner/search/search_task.h"
#include "tuner/search/searcher.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {

// Tries every configuration. Each step jumps far in the order of the space, so that good and bad
// regions alternate and a good configuration is found early. Much slower configurations are then
// dropped after one execution.
class Exhaustive : public Searcher {
 public:
  explicit Exhaustive(const SearchTask& task);
  std::optional<Config> ask() override;
  void tell(const Trial& trial) override { untried_.take(trial.config); }

 private:
  Untried untried_;
  Count step_;  // coprime to the size of the space, so that every index is visited
  Count next_ = 0, asked_ = 0;
};

Strategy exhaustive_strategy();

}  // namespace gktune

#pragma once

#include "tuner/search/search_task.h"
#include "tuner/search/searcher.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {

// Every configuration. Each step leads far through the order of the space, so that good and bad regions alternate and a
// good configuration is known early: what is much slower than that one is given up after one execution.
class Exhaustive : public Searcher {
 public:
  explicit Exhaustive(const SearchTask& task);
  std::optional<Config> ask() override;
  void tell(const Trial& trial) override { untried_.take(trial.config); }

 private:
  Untried untried_;
  Count step_;  // has no factor in common with the size of the space, so that all indices come up
  Count next_ = 0, asked_ = 0;
};

Strategy exhaustive_strategy();

}  // namespace gktune

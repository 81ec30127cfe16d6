#pragma once

#include "tuner/search/search_task.h"
#include "tuner/search/searcher.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {

// Every configuration, in the order of the space.
class Exhaustive : public Searcher {
 public:
  explicit Exhaustive(const SearchTask& task) : untried_(task.space) {}
  std::optional<Config> ask() override;
  void tell(const Trial& trial) override { untried_.take(trial.config); }

 private:
  Untried untried_;
  Count next_ = 0;
};

Strategy exhaustive_strategy();

}  // namespace gktune

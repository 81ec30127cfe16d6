#pragma once

#include <random>

#include "tuner/search/search_task.h"
#include "tuner/search/searcher.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {

// The default configuration, then uniform draws without replacement until the space is used up.
class Random : public Searcher {
 public:
  explicit Random(const SearchTask& task) : untried_(task.space), random_(task.seed) {}
  std::optional<Config> ask() override;
  void tell(const Trial& trial) override { untried_.take(trial.config); }

 private:
  Untried untried_;
  std::mt19937_64 random_;
  bool default_is_due_ = true;
};

Strategy random_strategy();

}  // namespace gktune

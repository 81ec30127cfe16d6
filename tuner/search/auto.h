#pragma once

#include <memory>

#include "tuner/search/search_task.h"
#include "tuner/search/searcher.h"
#include "tuner/search/strategy.h"

namespace gktune {

// Chooses a strategy by the size of the space, the budget and the trials of related studies.
class Auto : public Searcher {
 public:
  explicit Auto(const SearchTask& task);
  std::optional<Config> ask() override { return chosen_->ask(); }
  void tell(const Trial& trial) override { chosen_->tell(trial); }
  std::string description() const override { return description_; }
  std::optional<double> expected_gain() const override { return chosen_->expected_gain(); }

 private:
  std::unique_ptr<Searcher> chosen_;
  std::string description_;
};

Strategy auto_strategy();

}  // namespace gktune

#pragma once

#include "tuner/search/searcher.h"
#include "tuner/search/visited.h"

namespace gktune {

// Every configuration, in the order of the space.
class Exhaustive : public Searcher {
 public:
  explicit Exhaustive(const Space& space) : space_(space), visited_(space) {}
  std::optional<Config> ask() override;
  void tell(const Trial& trial) override { visited_.add(trial.config); }

 private:
  const Space& space_;
  Visited visited_;
  Count next_ = 0;
};

}  // namespace gktune

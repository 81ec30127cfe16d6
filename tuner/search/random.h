#pragma once

#include <random>
#include <vector>

#include "tuner/search/searcher.h"
#include "tuner/search/visited.h"

namespace gktune {

// The default configuration, then uniform draws without replacement until the space is used up.
class Random : public Searcher {
 public:
  Random(const Space& space, std::uint64_t seed) : space_(space), visited_(space), random_(seed) {}
  std::optional<Config> ask() override;
  void tell(const Trial& trial) override { visited_.add(trial.config); }

 private:
  std::optional<Count> draw();
  void list_the_rest();

  const Space& space_;
  Visited visited_;
  std::mt19937_64 random_;
  bool default_is_due_ = true;
  bool rest_is_listed_ = false;
  std::vector<Count> rest_;  // shuffled; filled once more than half of the space is visited
};

}  // namespace gktune

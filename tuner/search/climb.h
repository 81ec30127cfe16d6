#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "tuner/search/search_task.h"
#include "tuner/search/searcher.h"
#include "tuner/search/strategy.h"
#include "tuner/search/untried.h"

namespace gktune {

// Proposes random configurations first, then neighbours of the best known ones, those of the best first.
// Random proposals in between let it leave a local optimum.
class Climb : public Searcher {
 public:
  explicit Climb(const SearchTask& task) : untried_(task.space), random_(task.seed) {}
  std::optional<Config> ask() override;
  void tell(const Trial& trial) override;

 private:
  // A successful configuration and its neighbours that are still to try.
  struct Summit {
    Config config;
    bool is_surveyed = false;
    std::vector<Config> neighbours;
  };
  std::optional<Config> draw();
  std::optional<Config> step();
  void survey(Summit& summit);

  Untried untried_;
  std::mt19937_64 random_;
  std::multimap<double, Summit> summits_;  // the best few, by objective
  std::size_t told_ = 0, asked_ = 0;
  bool default_is_due_ = true;
};

Strategy climb_strategy();

}  // namespace gktune

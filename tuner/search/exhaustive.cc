#include "tuner/search/exhaustive.h"

namespace gktune {

std::optional<Config> Exhaustive::ask() {
  const Space& space = untried_.space();
  while (next_ < space.size()) {
    const Space::Ranks ranks = space.ranks_at(next_++);
    if (untried_.take(ranks)) return space.config_of(ranks);
  }
  return std::nullopt;
}

Strategy exhaustive_strategy() {
  return {.name = "exhaustive",
          .summary = "every configuration, in the order of the space",
          .make = make_strategy<Exhaustive>};
}

}  // namespace gktune

#include "tuner/search/random.h"

namespace gktune {

std::optional<Config> Random::ask() {
  if (default_is_due_) {
    default_is_due_ = false;
    auto config = untried_.space().default_config();
    if (config && untried_.take(*config)) return config;
  }
  const auto ranks = untried_.draw(random_);
  if (!ranks) return std::nullopt;
  return untried_.space().config_of(*ranks);
}

Strategy random_strategy() {
  return {.name = "random",
          .summary = "the default configuration, then uniform draws without repetition",
          .make = make_strategy<Random>};
}

}  // namespace gktune

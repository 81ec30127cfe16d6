#include "tuner/search/strategy.h"

#include "tuner/search/climb.h"
#include "tuner/search/exhaustive.h"
#include "tuner/search/random.h"

namespace gktune {

const std::vector<Strategy>& strategies() {
  static const std::vector<Strategy> kStrategies = {
      {"auto", "the strategy that suits most: climb"},
      {"climb", "random draws, then the neighbours of the best, with draws in between"},
      {"random", "the default configuration, then uniform draws without repetition"},
      {"exhaustive", "every configuration, in the order of the space"},
  };
  return kStrategies;
}

Result<std::unique_ptr<Searcher>> make_searcher(std::string_view strategy, const Space& space,
                                                std::uint64_t seed) {
  if (strategy == "exhaustive") return std::unique_ptr<Searcher>(std::make_unique<Exhaustive>(space));
  if (strategy == "random") return std::unique_ptr<Searcher>(std::make_unique<Random>(space, seed));
  if (strategy == "climb" || strategy == "auto") {
    return std::unique_ptr<Searcher>(std::make_unique<Climb>(space, seed));
  }
  std::string known;
  for (const auto& each : strategies()) known += (known.empty() ? "" : ", ") + std::string(each.name);
  return Error{"no strategy is called '" + std::string(strategy) + "'; there are " + known};
}

}  // namespace gktune

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/search/searcher.h"
#include "tuner/space/solver/space.h"

namespace gktune {

struct Strategy {
  std::string_view name;
  std::string_view summary;
};

// Those that make_searcher knows, the one it takes by default first.
const std::vector<Strategy>& strategies();

// The space must outlive the searcher. An unknown name is an error that lists the known ones.
Result<std::unique_ptr<Searcher>> make_searcher(std::string_view strategy, const Space& space,
                                                std::uint64_t seed);

}  // namespace gktune

#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "tuner/search/untried.h"

namespace gktune {

// Untried configurations for a model to choose from, at most `limit`, none twice: neighbours of the best ones
// known, neighbours of these, and draws from all the rest. Where the limit allows, all that are left.
std::vector<Space::Ranks> candidates(Untried& untried, std::span<const Space::Ranks> best_first,
                                     std::size_t limit, std::mt19937_64& random);

}  // namespace gktune

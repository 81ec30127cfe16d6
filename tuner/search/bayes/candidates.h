#pragma once

#include <cstddef>
#include <random>
#include <span>
#include <vector>

#include "tuner/search/untried.h"

namespace gktune {

// At most `limit` different untried configurations for a model to choose from: all of them if the limit
// allows it, else neighbours of the best known ones, neighbours of these neighbours, and random others.
std::vector<Space::Ranks> candidates(Untried& untried, std::span<const Space::Ranks> best_first,
                                     std::size_t limit, std::mt19937_64& random);

}  // namespace gktune

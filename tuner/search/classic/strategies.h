#pragma once

#include "tuner/search/strategy.h"

namespace gktune {

// Strategies from the literature, one file each.
Strategy latin_hypercube_strategy();
Strategy genetic_strategy();
Strategy differential_evolution_strategy();
Strategy particle_swarm_strategy();
Strategy annealing_strategy();
Strategy local_search_strategy();
Strategy pattern_search_strategy();
Strategy bandit_strategy();  // chooses among the other strategies

}  // namespace gktune

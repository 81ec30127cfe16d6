#pragma once

#include <cstddef>
#include <vector>

#include "tuner/core/trial.h"

namespace gktune {

struct PlayoffOptions {
  double tolerance = 0.005;  // finalists whose medians differ by less are equally good
  double deviation = 0.005;  // relative standard deviation that single samples are expected to have
  std::size_t min_rounds = 5;
};

// True if the finalist with the lowest median is certain to be the fastest, or no other is faster by more
// than the tolerance. `samples` has one sample of each round for each finalist, in the order of the rounds;
// finalists without samples have failed. Samples of one round are compared with each other only, so that
// drift favours none.
bool is_playoff_decided(const std::vector<Samples>& samples, const PlayoffOptions& options);

}  // namespace gktune

#include "tuner/search/exhaustive.h"

#include <utility>

namespace gktune {
namespace {

Count greatest_common_divisor(Count a, Count b) {
  while (b != 0) a = std::exchange(b, a - a / b * b);
  return a;
}

// Multiples of the golden section of the size are spread evenly, however many are taken.
Count step_through(const Count& size) {
  constexpr int kParts = 100'000'000, kGolden = 61'803'399;
  const Count whole = size / kParts, rest = size - whole * kParts;
  Count step = whole * kGolden + rest * kGolden / kParts + 1;
  while (greatest_common_divisor(size, step) > 1) ++step;
  return step;
}

}  // namespace

Exhaustive::Exhaustive(const SearchTask& task)
    : untried_(task.space), step_(step_through(task.space.size())) {}

std::optional<Config> Exhaustive::ask() {
  const Space& space = untried_.space();
  for (; asked_ < space.size(); ++asked_) {
    const Space::Ranks ranks = space.ranks_at(next_);
    next_ += step_;
    while (next_ >= space.size()) next_ -= space.size();
    if (untried_.take(ranks)) {
      ++asked_;
      return space.config_of(ranks);
    }
  }
  return std::nullopt;
}

Strategy exhaustive_strategy() {
  return {.name = "exhaustive",
          .summary = "every configuration, from all regions of the space in turn",
          .make = make_strategy<Exhaustive>};
}

}  // namespace gktune

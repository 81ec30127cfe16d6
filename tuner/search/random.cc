#include "tuner/search/random.h"

#include <algorithm>

namespace gktune {

std::optional<Config> Random::ask() {
  if (default_is_due_) {
    default_is_due_ = false;
    if (auto config = space_.default_config()) {
      auto index = space_.index_of(*config);
      if (index && visited_.add(*index)) return config;
    }
  }
  auto index = draw();
  if (!index) return std::nullopt;
  return space_.at(*index);
}

// While most of the space is new, a draw seldom meets a visited configuration; after that the rest is short
// enough to be listed. Either way each unvisited configuration is as likely as any other.
std::optional<Count> Random::draw() {
  if (visited_.is_everything()) return std::nullopt;
  if (!rest_is_listed_) {
    if (Count(visited_.size()) * 2 <= space_.size()) {
      Count index;
      do {
        index = space_.sample(random_);
      } while (!visited_.add(index));
      return index;
    }
    list_the_rest();
  }
  while (!rest_.empty()) {
    Count index = std::move(rest_.back());
    rest_.pop_back();
    if (visited_.add(index)) return index;
  }
  return std::nullopt;
}

void Random::list_the_rest() {
  for (Count index = 0; index < space_.size(); ++index) {
    if (!visited_.contains(index)) rest_.push_back(index);
  }
  std::ranges::shuffle(rest_, random_);
  rest_is_listed_ = true;
}

}  // namespace gktune

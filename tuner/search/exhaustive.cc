#include "tuner/search/exhaustive.h"

namespace gktune {

std::optional<Config> Exhaustive::ask() {
  while (next_ < space_.size()) {
    Count index = next_++;
    if (visited_.add(index)) return space_.at(index);
  }
  return std::nullopt;
}

}  // namespace gktune

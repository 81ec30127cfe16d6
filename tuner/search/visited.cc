#include "tuner/search/visited.h"

namespace gktune {

void Visited::add(const Config& config) {
  if (auto index = space_.index_of(config)) indices_.insert(*index);
}

}  // namespace gktune

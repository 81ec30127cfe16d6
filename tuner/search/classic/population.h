#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "tuner/search/classic/point_searcher.h"

namespace gktune {

struct Individual {
  PointSearcher::Point point;
  double objective = std::numeric_limits<double>::infinity();
};

// The option `population`, at least 2.
inline std::size_t population_size(const SearchTask& task) {
  return static_cast<std::size_t>(std::max<std::int64_t>(2, task.option("population").integer()));
}

}  // namespace gktune

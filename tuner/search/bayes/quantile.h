#pragma once

#include <cstddef>
#include <vector>

namespace gktune {

// The quantile of sorted numbers at `share`, from 0 to 1. Requires a non-empty list.
inline double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace gktune

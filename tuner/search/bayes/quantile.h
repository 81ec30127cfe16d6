#pragma once

#include <cstddef>
#include <vector>

namespace gktune {

// The number below which this share of the sorted numbers lies. Requires a non-empty list.
inline double quantile(const std::vector<double>& sorted, double share) {
  return sorted[static_cast<std::size_t>(share * static_cast<double>(sorted.size() - 1))];
}

}  // namespace gktune

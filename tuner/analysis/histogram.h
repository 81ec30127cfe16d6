#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gktune {

// How often values fall between edges. The edges of positive values are spaced by equal factors, those of
// others by equal distances.
struct Histogram {
  std::vector<double> edges;         // one more than counts; empty without a finite value
  std::vector<std::int64_t> counts;  // the last one has its upper edge too
};

// Values that are not finite are left out. Equal values share one bin.
Histogram histogram_of(const std::vector<double>& values, std::size_t bins);

}  // namespace gktune

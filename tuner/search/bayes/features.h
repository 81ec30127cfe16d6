#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/analysis/forest.h"
#include "tuner/space/solver/space.h"

namespace gktune {

inline double squared(double x) { return x * x; }

// One parameter that has more than one value.
struct Dimension {
  // A value, or neighbouring values of a parameter that has very many.
  struct Level {
    float position = 0;  // among the values, in [0, 1]
    float twos = 0;      // the number of factors of two in the value, scaled to [0, 1]
  };
  std::uint32_t parameter = 0;
  bool is_categorical = false;  // its levels have no order
  bool has_twos = false;
  std::vector<Level> levels;
  std::vector<std::uint16_t> level_of;  // for each rank
  std::vector<double> size_of;  // for each rank: the logarithm of the value; empty: the size means little
};

// Maps configurations to points: a point has the level of each dimension. The position of a number is the
// mean of its position by order and its position by magnitude. The number of factors of two is a separate
// feature, because a GPU treats 48, 64 and 96 alike, but not 63.
class Features {
 public:
  explicit Features(const Space& space);

  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  Point point(std::span<const std::uint32_t> ranks) const;
  // The sum of `twos` over the dimensions: a high sum means well aligned numbers.
  double alignment(const Point& point) const;

 private:
  std::vector<Dimension> dimensions_;
};

}  // namespace gktune

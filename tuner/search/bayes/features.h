#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tuner/space/solver/space.h"

namespace gktune {

// The model's view of a configuration: its level in each dimension.
using Point = std::vector<std::uint16_t>;

// One parameter that has more than one value.
struct Dimension {
  // A value, or neighbouring values of a parameter that has very many.
  struct Level {
    float position = 0;  // among the values, in [0, 1]
    float twos = 0;      // how often two divides the value, in [0, 1]
  };
  std::uint32_t parameter = 0;
  bool is_categorical = false;  // its levels have no order
  bool has_twos = false;
  bool has_size = false;
  std::vector<Level> levels;
  std::vector<std::uint16_t> level_of;  // of each rank
  std::vector<double> size_of;          // of each rank: log value, where it has a size
};

// Numbers are placed by their order and by their magnitude, half and half. Numbers such as 48, 64 and 96 are
// alike for a GPU in ways that 63 and 65 are not. The number of factors of two is therefore a separate feature.
class Features {
 public:
  explicit Features(const Space& space);

  const std::vector<Dimension>& dimensions() const { return dimensions_; }
  Point point(std::span<const std::uint32_t> ranks) const;
  // The alignment of a configuration's numbers: the sum of `twos`.
  double alignment(const Point& point) const;

 private:
  std::vector<Dimension> dimensions_;
};

}  // namespace gktune

#pragma once

#include <array>
#include <cstdint>

namespace gktune {

// The geometry of one kernel launch.
struct LaunchShape {
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t shared_bytes = 0;  // dynamic
};

}  // namespace gktune

#pragma once

#include <array>
#include <cstdint>

#include "tuner/core/plan_parts.h"

namespace gktune {

// One kernel launch, without its arguments.
struct LaunchShape {
  std::array<std::int64_t, 3> grid{1, 1, 1}, block{1, 1, 1};
  std::int64_t shared_bytes = 0;  // dynamic
  LaunchAttributes attributes = {};
};

}  // namespace gktune

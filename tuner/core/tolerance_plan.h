#pragma once

#include <cstdint>

namespace gktune {

// The allowed difference of an output's element from the reference. It passes if one of the three allows it.
struct TolerancePlan {
  double absolute = 0;
  double relative = 0;
  std::int64_t ulp = 0;
  friend bool operator==(const TolerancePlan&, const TolerancePlan&) = default;
};

}  // namespace gktune

#pragma once

#include <cstdint>

namespace gktune {

// How far an element of an output may be from the reference's: it passes when one of the three admits it.
struct TolerancePlan {
  double absolute = 0;
  double relative = 0;
  std::int64_t ulp = 0;
  friend bool operator==(const TolerancePlan&, const TolerancePlan&) = default;
};

}  // namespace gktune

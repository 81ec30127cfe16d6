#include "db/distance.h"

#include <cmath>

#include "gktune/values.h"

namespace gktune {

double place_of(double size) { return std::copysign(std::log2(std::abs(size) + 1), size); }

std::optional<Distance> distance(const Problem& asked, const Problem& tuned) {
  Distance sum;
  double square = 0;
  for (const auto& [name, value] : asked) {
    const Value* other = tuned.find(name);
    if (other == nullptr) return std::nullopt;
    if (AxisValue(value) == AxisValue(*other)) continue;
    if (!value.is_number() || !other->is_number()) return std::nullopt;
    double step = place_of(value.number()) - place_of(other->number());
    if (!std::isfinite(step)) return std::nullopt;
    square += step * step;
    sum.equal = false;
  }
  for (const auto& [name, value] : tuned) {
    if (asked.find(name) == nullptr) ++sum.left_out;
  }
  sum.equal = sum.equal && sum.left_out == 0;
  sum.length = std::sqrt(square);
  return sum;
}

}  // namespace gktune

#include "db/distance.h"

#include <cmath>

namespace gktune {
namespace {

// Maps zero and one as far apart as one and three. Negative sizes mirror positive ones.
double scaled(double size) { return std::copysign(std::log2(std::abs(size) + 1), size); }

bool same_worth(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number() && a.kind() != b.kind()) return a.number() == b.number();
  return a == b;
}

}  // namespace

std::optional<Distance> distance(const Problem& asked, const Problem& tuned) {
  Distance sum;
  double square = 0;
  for (const auto& [name, value] : asked) {
    const Value* other = tuned.find(name);
    if (other == nullptr) return std::nullopt;
    if (same_worth(value, *other)) continue;
    if (!value.is_number() || !other->is_number()) return std::nullopt;
    double step = scaled(value.number()) - scaled(other->number());
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

#pragma once

#include <compare>
#include <optional>

#include "gktune/values.h"

namespace gktune {

// The place of a size on a log scale: zero and one are as far apart as one and three. Negative sizes mirror
// positive ones.
double place_of(double size);

// Distance between a tuned problem and the requested one; less is closer.
struct Distance {
  int left_out = 0;   // axes that the question does not name
  double length = 0;  // Euclidean over the other axes, on a log scale: 1 is a factor of two along one axis
  bool equal = true;  // every axis is named and has the same value

  friend bool operator==(const Distance&, const Distance&) = default;
  friend std::partial_ordering operator<=>(const Distance& a, const Distance& b) {
    if (a.equal != b.equal) return a.equal ? std::partial_ordering::less : std::partial_ordering::greater;
    if (a.left_out != b.left_out) return a.left_out <=> b.left_out;
    return a.length <=> b.length;
  }
};

// Empty if they cannot be compared: texts and booleans must be equal, and the tuned problem must have every
// axis of the question.
std::optional<Distance> distance(const Problem& asked, const Problem& tuned);

}  // namespace gktune

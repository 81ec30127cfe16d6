#pragma once

#include <compare>
#include <optional>

#include "tuner/core/named_values.h"

namespace gktune {

// How far a tuned problem is from the one asked for; less is closer.
struct Distance {
  int left_out = 0;  // axes that the question does not name
  double length =
      0;  // over the others: Euclid's, on a log scale, so that 1 is a factor of two along one axis
  bool equal = true;  // every axis is named and has the same worth

  friend bool operator==(const Distance&, const Distance&) = default;
  friend std::partial_ordering operator<=>(const Distance& a, const Distance& b) {
    if (a.equal != b.equal) return a.equal ? std::partial_ordering::less : std::partial_ordering::greater;
    if (a.left_out != b.left_out) return a.left_out <=> b.left_out;
    return a.length <=> b.length;
  }
};

// Nothing: they cannot be compared. Texts and booleans must be equal, and every axis asked for must have been
// tuned.
std::optional<Distance> distance(const Problem& asked, const Problem& tuned);

}  // namespace gktune

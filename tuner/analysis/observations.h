#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gktune {

// Measurements at points of a grid: each point has one of a few values for each factor.
struct Observations {
  struct Factor {
    std::size_t values = 1;   // it takes the places 0 … values - 1
    bool is_ordered = false;  // neighbouring places are alike: a number, not a name
  };
  std::vector<Factor> factors;
  std::vector<std::uint16_t> places;  // of all points, one after the other
  std::vector<double> targets;        // one of each point

  std::size_t size() const { return targets.size(); }
  std::span<const std::uint16_t> point(std::size_t index) const {
    return std::span(places).subspan(index * factors.size(), factors.size());
  }
  void add(std::span<const std::uint16_t> point, double target) {
    places.insert(places.end(), point.begin(), point.end());
    targets.push_back(target);
  }
};

}  // namespace gktune

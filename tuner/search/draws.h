#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>

namespace gktune {

// Distributions that are the same with every standard library.

// In [0, 1).
inline double draw_uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

// In [0, count).
inline std::size_t draw_place(std::mt19937_64& random, std::size_t count) {
  return static_cast<std::size_t>(draw_uniform(random) * static_cast<double>(count));
}

// Draws from the standard normal distribution.
inline double draw_normal(std::mt19937_64& random) {
  const double radius = std::sqrt(-2 * std::log(1 - draw_uniform(random)));
  return radius * std::cos(2 * std::numbers::pi * draw_uniform(random));
}

}  // namespace gktune

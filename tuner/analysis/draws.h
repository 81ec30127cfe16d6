#pragma once

#include <cmath>
#include <cstddef>
#include <numbers>
#include <random>
#include <utility>
#include <vector>

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

// Moves `count` items, drawn at random from those at `begin` and after it, to the places from `begin` on.
template <class T>
void draw_to_front(std::mt19937_64& random, std::vector<T>& items, std::size_t begin, std::size_t count) {
  for (std::size_t i = begin; i < begin + count; ++i) {
    std::swap(items[i], items[i + draw_place(random, items.size() - i)]);
  }
}

template <class T>
void shuffle(std::mt19937_64& random, std::vector<T>& items) {
  for (std::size_t i = items.size(); i > 1; --i) std::swap(items[i - 1], items[draw_place(random, i)]);
}

}  // namespace gktune

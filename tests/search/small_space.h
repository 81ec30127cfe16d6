#pragma once

#include "tuner/space/solver/space.h"

namespace gktune {

inline Constraint constraint(std::string_view text) {
  return Constraint{.condition = Expression::parse(text).value()};
}

// x and y of 1..count with x + y even.
inline Space checkered_space(std::int64_t count) {
  Parameter x{.name = "x"}, y{.name = "y"};
  for (std::int64_t i = 1; i <= count; ++i) {
    x.values.emplace_back(i);
    y.values.emplace_back(i);
  }
  x.default_value = 2;
  y.default_value = 4;
  return Space::build({x, y}, {constraint("(x + y) % 2 == 0")}, Scope()).value();
}

}  // namespace gktune

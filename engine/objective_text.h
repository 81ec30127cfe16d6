#pragma once

#include <string>

#include "tuner/space/definition.h"

namespace gktune {

// The objective as studies store it: "time", "maximize GB/s", "minimize energy".
inline std::string objective_text(const Objective& objective) {
  if (objective.metric.empty()) return "time";
  return (objective.maximize ? "maximize " : "minimize ") + objective.metric;
}

// Reads objective_text(). Any other text means the time.
inline Objective objective_from_text(const std::string& text) {
  if (text.starts_with("maximize ")) return {text.substr(9), true};
  if (text.starts_with("minimize ")) return {text.substr(9), false};
  return {};
}

}  // namespace gktune

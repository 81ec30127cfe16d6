#pragma once

#include <optional>
#include <string_view>

#include "tuner/core/fields.h"

namespace gktune {

// How certain the answer of a search has to be. It sets the length of a search that
// has no limit on trials or time.
enum class Effort { quick, normal, thorough };

inline EnumNames enum_names(Effort) {
  static constexpr std::string_view kNames[] = {"quick", "normal", "thorough"};
  return kNames;
}
inline std::optional<Effort> effort_from_name(std::string_view name) { return enum_from_name<Effort>(name); }

}  // namespace gktune

#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <utility>

namespace gktune {

// How certain the answer of a search has to be. It sets the length of a search that
// has no limit on trials or time.
enum class Effort { quick, normal, thorough };

inline constexpr std::array<std::pair<Effort, std::string_view>, 3> kEfforts{
    {{Effort::quick, "quick"}, {Effort::normal, "normal"}, {Effort::thorough, "thorough"}}};

constexpr std::optional<Effort> effort_from_name(std::string_view name) {
  for (const auto& [effort, known] : kEfforts) {
    if (known == name) return effort;
  }
  return std::nullopt;
}

}  // namespace gktune

#include "tuner/measure/guard.h"

#include "tuner/measure/generator.h"

namespace gktune {

void fill_guard(std::span<std::byte> zone, GuardPattern pattern) {
  for (std::size_t i = 0; i < zone.size(); ++i) zone[i] = std::byte{guard_byte(pattern, i)};
}

std::optional<std::size_t> guard_violation(std::span<const std::byte> zone, GuardPattern pattern) {
  for (std::size_t i = 0; i < zone.size(); ++i) {
    if (zone[i] != std::byte{guard_byte(pattern, i)}) return i;
  }
  return std::nullopt;
}

}  // namespace gktune

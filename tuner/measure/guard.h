#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace gktune {

// The size of the zone on either side of a buffer.
inline constexpr std::size_t kGuardBytes = 512;
// The next multiple of that size.
constexpr std::size_t rounded_to_guards(std::size_t bytes) {
  return (bytes + kGuardBytes - 1) / kGuardBytes * kGuardBytes;
}

// Each buffer has a pattern of its own.
using GuardPattern = unsigned char;

void fill_guard(std::span<std::byte> zone, GuardPattern pattern);
// The offset of the first byte that differs from the pattern.
std::optional<std::size_t> guard_violation(std::span<const std::byte> zone, GuardPattern pattern);

}  // namespace gktune

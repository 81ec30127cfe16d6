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

void fill_guard(std::span<std::byte> zone);
// The offset of the first byte that differs from fill_guard's pattern.
std::optional<std::size_t> guard_violation(std::span<const std::byte> zone);

}  // namespace gktune

#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace gktune {

// The zones before and after a buffer that nothing may write to.
inline constexpr std::size_t kGuardBytes = 512;
// The next multiple of it.
constexpr std::size_t rounded_to_guards(std::size_t bytes) {
  return (bytes + kGuardBytes - 1) / kGuardBytes * kGuardBytes;
}

void fill_guard(std::span<std::byte> zone);
// The offset of the first byte that is not what fill_guard left there.
std::optional<std::size_t> guard_violation(std::span<const std::byte> zone);

}  // namespace gktune

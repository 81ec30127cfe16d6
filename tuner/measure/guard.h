#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace gktune {

// The zones before and after a buffer that nothing may write to.
inline constexpr std::size_t kGuardBytes = 512;

void fill_guard(std::span<std::byte> zone);
// The offset of the first byte that is not what fill_guard left there.
std::optional<std::size_t> guard_violation(std::span<const std::byte> zone);

}  // namespace gktune

#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "tuner/core/element_type.h"
#include "tuner/core/result.h"

namespace gktune {

// Writes a .npy file that read_npy() reads.
Result<void> write_npy(const std::filesystem::path& path, ElementType type, std::span<const std::byte> elements);

}  // namespace gktune

#pragma once

#include <cstdint>
#include <filesystem>

namespace gktune {

// The memory that this process and its like may use together: the machine's, or what its control groups leave
// of it, version 1 or 2. The root is that of the file system.
std::uint64_t usable_memory_bytes(const std::filesystem::path& root = "/");

}  // namespace gktune

#pragma once

#include <cstdint>
#include <filesystem>

namespace gktune {

// The memory that this process and its like may use together: the machine's, or what its control groups leave
// of it, version 1 or 2. The root is that of the file system.
std::uint64_t usable_memory_bytes(const std::filesystem::path& root = "/");

// One half of it, which is for the candidate that runs.
std::uint64_t runner_share_bytes();

}  // namespace gktune

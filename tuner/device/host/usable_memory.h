#pragma once

#include <cstdint>
#include <filesystem>

namespace gktune {

// The memory that this process and its siblings may use together: the machine's, or the limit of its control
// groups (version 1 or 2). `root` is the root of the file system.
std::uint64_t usable_memory_bytes(const std::filesystem::path& root = "/");

// The half of it that the running candidate may use.
std::uint64_t runner_share_bytes();

}  // namespace gktune

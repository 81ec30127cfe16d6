#pragma once

#include <cstddef>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include "gktune/result.h"

namespace gktune {

// The contents of a regular file of at most so many bytes.
Result<std::string> read_whole(const std::filesystem::path& path,
                               std::size_t most = std::numeric_limits<std::size_t>::max());

// Whether it is a database of SQLite.
bool is_database(const std::filesystem::path& path);

// Writes to another name first, so that a reader sees all of the file or nothing: in the folder `aside`,
// which is on the same file system, by default beside the file. Makes a missing folder.
Result<void> write_atomically(const std::filesystem::path& path, std::string_view bytes,
                              const std::filesystem::path& aside = {});

// A unique name for a file that is renamed to `path` once it is complete.
std::filesystem::path unfinished_path(const std::filesystem::path& path);
bool is_unfinished(const std::filesystem::path& path);

}  // namespace gktune

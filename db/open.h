#pragma once

#include <chrono>
#include <filesystem>
#include <optional>

#include "db/sqlite/database.h"

namespace gktune {

// How long to wait for locks of other programs. The tuner has a limit of its own.
inline constexpr std::chrono::seconds kLockPatience(10);

// Opens a database of gktune with the schema of this version. Creates the file if there is none and migrates
// an older one. Throws sqlite::Failure and leaves the file unmodified if it is damaged, foreign or newer.
// Waits up to `patience` for locks of other programs.
sqlite::Database open_for_writing(const std::filesystem::path& path, std::chrono::milliseconds patience);
// Opens the file read-only; migrates a copy of an older one in memory.
sqlite::Database open_for_reading(const std::filesystem::path& path, std::chrono::milliseconds patience);
// Opens a file that open_for_reading() has just opened once more, for another thread.
// Returns no value if the file is of an older version.
std::optional<sqlite::Database> open_again(const std::filesystem::path& path,
                                           std::chrono::milliseconds patience);
// Opens a damaged file read-only, to rescue its rows. Checks only that it is a database of gktune of a known
// version and that its main tables can be found. What this opens, `gktune db repair` accepts.
sqlite::Database open_damaged(const std::filesystem::path& path, std::chrono::milliseconds patience);

}  // namespace gktune

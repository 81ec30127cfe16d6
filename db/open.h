#pragma once

#include <chrono>
#include <filesystem>
#include <string_view>

#include "db/sqlite/connection.h"

namespace gktune {

// How long to wait for locks of other programs. The tuner has a limit of its own.
inline constexpr std::chrono::seconds kLockPatience(10);

// Opens a database of gktune. Creates the file if there is none. Throws sql::Failure and leaves the file
// unmodified if it is damaged, foreign or of another schema. Waits up to `patience` for locks.
sqlite::Connection open_for_writing(const std::filesystem::path& path, std::chrono::milliseconds patience);
sqlite::Connection open_for_reading(const std::filesystem::path& path, std::chrono::milliseconds patience);
// The bytes of a file.
sqlite::Connection open_bytes(std::string_view bytes);
// Opens a damaged file read-only, to copy its rows.
sqlite::Connection open_damaged(const std::filesystem::path& path, std::chrono::milliseconds patience);

// How to open an existing file so that reading leaves nothing beside it.
sqlite::Connection::Access reading_access(const std::filesystem::path& path);

// Removes the files of a database that is this program's own.
void remove_database(const std::filesystem::path& path);

}  // namespace gktune

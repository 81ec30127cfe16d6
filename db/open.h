#pragma once

#include <chrono>
#include <filesystem>

#include "db/sqlite/database.h"

namespace gktune {

// A database of gktune, with the schema of this version, or a sqlite::Failure and the file as it was.
// Makes the file where there is none, and migrates an older one. Locks of others are waited for as long as
// `patience`.
sqlite::Database open_for_writing(const std::filesystem::path& path, std::chrono::milliseconds patience);
// Never writes to the file; of an older one, a copy in memory is migrated.
sqlite::Database open_for_reading(const std::filesystem::path& path, std::chrono::milliseconds patience);

}  // namespace gktune

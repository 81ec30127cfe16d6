#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "cli/context.h"
#include "db/database.h"

namespace gktune {

// The database of --db, or the default one.
std::filesystem::path database_path(const std::string& flag, const Context& context);
// For a suggested command line: " --db other.db"; empty for the default database.
std::string database_flag(const std::string& flag);
// Prints an error and a hint if there is none.
bool has_database(const std::string& flag, Context& context);
// Opens it for reading. Null after printing an error.
std::unique_ptr<Database> open_database(const std::string& flag, Context& context);

}  // namespace gktune

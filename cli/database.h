#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "db/store.h"

namespace gktune {

// The database that --db names, or the default one.
std::filesystem::path database_path(const std::string& flag, const Context& context);
// As a command line repeats it: " --db other.db", or nothing for the default one.
std::string database_flag(const std::string& flag);
// To read from. Where there is none, says so and how to make one.
std::optional<Store> open_database(const std::string& flag, Context& context);

}  // namespace gktune

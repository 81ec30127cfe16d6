#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "tuner/core/result.h"

namespace gktune {

// The state of a database, read completely.
struct Health {
  std::int64_t trials = 0, finalists = 0;  // the rows that were read
  // Empty: nothing is wrong; the first of each kind, and how many others there are.
  std::vector<std::string> findings;
  bool is_repairable = false;              // something is wrong, and repair_database() keeps the rest
};

// Checks pages and indexes, then each row by its checksum and by parsing it, then the rows against each
// other. An error if no row can be read: the file is no database of gktune, or of a newer version, or nothing
// of it is left. Changes nothing.
Result<Health> check_database(const std::filesystem::path& path);

}  // namespace gktune

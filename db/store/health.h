#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tuner/core/result.h"

namespace gktune {

// The state of a database, read completely.
struct Health {
  std::int64_t trials = 0, finalists = 0;  // the rows that were read
  std::vector<std::string> findings;       // empty: nothing is wrong; the first of each kind, and how many others there are
};

// Checks pages and indexes, then each row by its checksum and by parsing it, then the rows against each
// other. An error if the file cannot be opened as a database at all. Changes nothing.
Result<Health> check_database(const std::filesystem::path& path);

// Rows of each table that a repair kept and lost.
struct Repair {
  struct Table {
    std::int64_t kept = 0, lost = 0;
  };
  std::map<std::string, Table> tables;
  std::vector<std::string> findings;  // why rows were lost or completed, the first of each kind
};

// Copies every readable row of a damaged database to a new one, and leaves the damaged one as it is. A
// damaged page or row costs the rows in it and no others; an earlier trial takes the place of a damaged
// current one. Devices, studies and sessions are completed from their indexes where they are damaged.
Result<Repair> repair_database(const std::filesystem::path& damaged, const std::filesystem::path& repaired);

}  // namespace gktune

#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "tuner/core/result.h"

namespace gktune {

namespace sqlite {
class Database;
}

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
// current one. Devices, studies and sessions are completed from their indexes where they are damaged. Makes
// no file if no trial can be read.
Result<Repair> repair_database(const std::filesystem::path& damaged, const std::filesystem::path& repaired);

// True: some trial can be read, or there is none.
bool has_readable_trials(const sqlite::Database& damaged);

}  // namespace gktune

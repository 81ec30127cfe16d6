#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/output/table.h"
#include "db/database.h"
#include "gktune/answer.h"

namespace gktune {

struct CoverageRequest {
  std::vector<std::string> spaces;
  std::filesystem::path database;
  std::string device;  // a name or a part of one; empty: all that the database has winners of
  Match worst = Match::none;
  TableFormat format;
};

// Prints how well a database answers for the problems of space files on each device. Returns worse_match if an answer
// is worse than the request accepts.
ExitCode print_coverage(const CoverageRequest& request, const std::vector<Winner>& winners, Context& context);

}  // namespace gktune

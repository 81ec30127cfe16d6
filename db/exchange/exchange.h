#pragma once

#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "tuner/core/result.h"

namespace gktune {

// docs/exchange.md describes the files.

struct Exported {
  std::int64_t studies = 0, trials = 0, playoffs = 0;
  std::int64_t damaged = 0;  // trials and finalists that were left out
};

// The rows that a merge added, and the conflicts that it resolved.
struct Merged {
  std::int64_t sessions = 0, studies = 0, trials = 0, playoffs = 0, portfolios = 0;  // added
  // Trials that the target had already.
  std::int64_t known_trials = 0;
  std::int64_t damaged = 0;  // trials and finalists of a database that were left out
  // Configurations with current measurements of several hosts, by what decided which one counts.
  std::int64_t by_environment = 0, by_playoff = 0, by_time = 0;
  // Conflicts in which a success counts and another host's measurement failed.
  std::int64_t overruled_failures = 0;
  // A line for each study of the target that has another winner now.
  std::vector<std::string> changed_winners;
};

// Writes these studies with their sessions, trials, playoffs and portfolios as JSON Lines. Equal contents
// give equal texts, whatever the ids of the rows. The caller looks at the state of the stream.
Result<Exported> export_studies(const std::filesystem::path& path, const std::vector<std::int64_t>& studies,
                                std::ostream& stream);

// Whether such lines begin with this one, as far as can be told without reading it.
bool begins_lines(std::string_view line);

// Adds such lines to a database, which is made if it does not exist. All or nothing: an error names the line.
// The same rows may come again, and several files in any order: the result is the same.
Result<Merged> import_lines(const std::filesystem::path& path, std::istream& stream, const std::string& name);

// Adds the contents of another database.
Result<Merged> merge_database(const std::filesystem::path& target, const std::filesystem::path& source);

}  // namespace gktune

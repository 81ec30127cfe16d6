#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <vector>

#include "tuner/core/result.h"

namespace gktune {

// The rows that were removed, or that would be.
struct Removed {
  std::int64_t studies = 0, trials = 0, playoffs = 0;
  // Sessions without a trial or a playoff. A rehearsal leaves the number out: to count them, it
  // would have to read each trial.
  std::optional<std::int64_t> sessions = {};
};

enum class Removal {
  rehearsed,  // counts the rows and keeps them
  done,
};

// Removal keeps the rest consistent: an earlier trial of a configuration becomes the current one, a playoff
// goes with its winner, and winners follow from the rows that are left. Refused while a program tunes what
// would be removed.

// All of these studies.
Result<Removed> remove_studies(const std::filesystem::path& path, const std::vector<std::int64_t>& studies,
                               Removal removal);
// An error, and nothing is removed, if one of the trials does not exist.
Result<Removed> remove_trials(const std::filesystem::path& path, const std::vector<std::int64_t>& trials,
                              Removal removal);

// The rows to remove from these studies; rows have to meet one of the first three conditions, and the last.
struct PruneRules {
  bool superseded = false;  // trials that were measured again
  bool failed = false;      // configurations that failed when they were measured the last time
  bool outdated = false;    // studies of a version of a kernel that is not the latest on its device
  std::int64_t before_unix_ms = std::numeric_limits<std::int64_t>::max();  // trials that ended before
};
Result<Removed> prune(const std::filesystem::path& path, const std::vector<std::int64_t>& studies,
                      const PruneRules& rules, Removal removal);

}  // namespace gktune

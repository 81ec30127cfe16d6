#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/sqlite/statement.h"
#include "tuner/core/trial.h"

namespace gktune {

// Adds a row and makes it the current one of its configuration, unless a later one is stored. Unknown values
// are NULL.
void insert_trial(const sqlite::Database& database, std::int64_t study, std::int64_t session,
                  const Trial& trial);

// The columns that a trial brings with it: all but those that depend on the database that it is in.
extern const std::string kTrialContents;
// The SQL of the checksums of a row of trials and of a row of finalists.
extern const std::string kTrialChecksum, kFinalistChecksum;
// The SQL that is true for a row with its checksum, or of a schema that had none.
extern const std::string kTrialIsSound, kFinalistIsSound;

// The columns that read_trial reads: kTrialIsSound, the id, the contents.
extern const std::string kTrialColumns;
// Throws sqlite::Failure for a damaged row. The study holds the problem and the regime.
Trial read_trial(sqlite::Row& row);

// The sound trial of a study with the best objective: it stands in for a damaged winner.
std::optional<std::int64_t> best_sound_trial(const sqlite::Database& database, std::int64_t study);

void insert_finalist(const sqlite::Database& database, std::int64_t playoff, std::int64_t place,
                     std::int64_t trial, const Trial& finalist);
// The columns of a finalist that a playoff measures, and those that read_finalist reads: whether they are
// sound, and them.
extern const std::string kFinalistContents, kFinalistColumns;
// Replaces the trial's samples, timing, objective and metrics by those of the playoff. Throws as
// read_trial().
void read_finalist(sqlite::Row& row, Trial& trial);

}  // namespace gktune

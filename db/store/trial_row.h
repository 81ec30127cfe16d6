#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/sqlite/statement.h"
#include "tuner/core/trial.h"

namespace gktune {

// Adds a row and makes it the current one of its configuration, unless a later one is
// stored. Unknown values are NULL.
void insert_trial(const sqlite::Database& database, std::int64_t study, std::int64_t session,
                  const Trial& trial);

// The SQL that is true for a row of trials with its checksum; and for a row of finalists that has its own,
// and whose playoff has its own.
extern const std::string kTrialIsSound, kFinalistIsSound;

// The columns that read_trial reads: kTrialIsSound, the id, the contents.
extern const std::string kTrialColumns;
// Throws sqlite::Failure for a damaged row. The study holds the problem and the regime.
Trial read_trial(sqlite::Row& row);

// The sound trial of a study with the best objective: it stands in for a damaged winner.
std::optional<std::int64_t> best_sound_trial(const sqlite::Database& database, std::int64_t study);

void insert_finalist(const sqlite::Database& database, std::int64_t playoff, std::int64_t place,
                     std::int64_t trial, const Trial& finalist);
// The columns that read_finalist reads: kFinalistIsSound, the contents.
extern const std::string kFinalistColumns;
// Replaces the trial's samples, timing, objective and metrics by those of the
// playoff. Throws as read_trial().
void read_finalist(sqlite::Row& row, Trial& trial);

}  // namespace gktune

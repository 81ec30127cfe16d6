#pragma once

#include <cstdint>

#include "db/values_json.h"
#include "tuner/core/trial.h"

namespace gktune {

// Adds a row and makes it the current one of its configuration, unless a later one is stored. Unknown values
// are NULL.
void insert_trial(const sqlite::Database& database, std::int64_t study, std::int64_t session,
                  const Trial& trial);

// The columns that read_trial reads.
extern const char* const kTrialColumns;
// The study holds the problem and the regime.
Trial read_trial(sqlite::Row& row, ValuesReader& values);

void insert_finalist(const sqlite::Database& database, std::int64_t playoff, std::int64_t place,
                     std::int64_t trial, const Trial& finalist);
// The columns that read_finalist reads.
extern const char* const kFinalistColumns;
// Replaces the trial's samples, timing, objective and metrics by those of the playoff.
void read_finalist(sqlite::Row& row, ValuesReader& values, Trial& trial);

}  // namespace gktune

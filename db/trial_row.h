#pragma once

#include <cstdint>

#include "db/values_json.h"
#include "tuner/core/trial.h"

namespace gktune {

// One trial in the table: what is not known is NULL there.
void insert_trial(const sqlite::Database& database, std::int64_t study, std::int64_t session,
                  const Trial& trial);

// What read_trial reads.
extern const char* const kTrialColumns;
// The problem and the regime are the study's: the caller knows them.
Trial read_trial(sqlite::Row& row, ValuesReader& values);

}  // namespace gktune

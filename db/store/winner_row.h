#pragma once

#include <cstdint>

#include "db/sqlite/database.h"

namespace gktune {

// Table winners holds the winner of each study, as winner_view finds it among the trials and playoffs, so
// that reading all winners reads no trial. Whoever adds or removes trials or playoffs of a study calls this
// in the same transaction.
void refresh_winner(const sqlite::Database& database, std::int64_t study);
// The same for all studies: after a merge, or after trials were removed.
void refresh_all_winners(sqlite::Database& database);

// Table general_configs holds the configuration that is best over all problems of a kernel on a device. This
// refreshes the kernels whose trials a session added.
void refresh_general_configs(const sqlite::Database& database, std::int64_t session);
// The same for all kernels.
void refresh_all_general_configs(sqlite::Database& database);

}  // namespace gktune

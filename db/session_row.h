#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "db/answers/session_environment.h"
#include "db/row_sums.h"
#include "db/sqlite/database.h"
#include "db/sqlite/statement.h"

namespace gktune {

// The columns that read_environment reads, of the sessions `c`: whether the row
// is sound, and its environment.
inline const std::string kEnvironmentColumns =
    is_sound(summed::kSessions, "c.") + ", c.tool_version, c.host_name, c.driver, c.runtime, c.compiler";
// Without a value for a damaged session: its environment is unknown. Its trials have
// checksums of their own and answer.
std::optional<SessionEnvironment> read_environment(sqlite::Row& row);

// ?1: a device. Its sessions that measured something, the latest first. Row ids play no part.
inline const std::string kSessionsOfDevice =
    "SELECT " + kEnvironmentColumns +
    " FROM sessions c WHERE (SELECT s.device_id FROM trials t JOIN studies s ON s.id = t.study_id"
    "  WHERE t.session_id = c.id LIMIT 1) = ?1"
    " ORDER BY c.begun_ms DESC, c.uuid DESC";
// The newest environment of the device, as a merge decides: the latest session of each host stands for
// the host, and of several hosts the one with the newest driver, then CUDA version, counts. Without a
// value if the device has no session.
std::optional<SessionEnvironment> latest_environment(const sqlite::Database& database, std::int64_t device);

}  // namespace gktune

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "db/session_environment.h"
#include "db/sqlite/database.h"
#include "db/sqlite/statement.h"

namespace gktune {

// The next five columns: tool_version, host_name, driver, runtime, compiler.
SessionEnvironment read_environment(sqlite::Row& row);

// ?1: a device. Its sessions that measured something, the latest first. Row ids play no part.
inline constexpr std::string_view kSessionsOfDevice =
    "SELECT c.tool_version, c.host_name, c.driver, c.runtime, c.compiler FROM sessions c"
    " WHERE (SELECT s.device_id FROM trials t JOIN studies s ON s.id = t.study_id WHERE t.session_id = c.id"
    "        LIMIT 1) = ?1"
    " ORDER BY c.begun_ms DESC, c.uuid DESC";
// The newest environment of the device, as a merge decides: the latest session of each host stands for the host, and of
// several hosts the one with the newest driver, then CUDA version, counts. Nothing if the device has no session.
std::optional<SessionEnvironment> latest_environment(const sqlite::Database& database, std::int64_t device);

}  // namespace gktune

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

// ?1: a device. Its latest session that measured something.
inline constexpr std::string_view kLatestSession =
    "SELECT c.tool_version, c.host_name, c.driver, c.runtime, c.compiler FROM sessions c"
    " WHERE (SELECT s.device_id FROM trials t JOIN studies s ON s.id = t.study_id WHERE t.session_id = c.id"
    "        LIMIT 1) = ?1"
    " ORDER BY c.begun_ms DESC, c.id DESC LIMIT 1";
// The environment of that session; empty if the device has none.
std::optional<SessionEnvironment> latest_environment(const sqlite::Database& database, std::int64_t device);

}  // namespace gktune

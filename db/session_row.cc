#include "db/session_row.h"

namespace gktune {

SessionEnvironment read_environment(sqlite::Row& row) {
  SessionEnvironment environment;
  environment.tool_version = row.text();
  environment.host_name = row.text();
  environment.driver = row.text();
  environment.runtime = row.text();
  environment.compiler = row.text();
  return environment;
}

std::optional<SessionEnvironment> latest_environment(const sqlite::Database& database, std::int64_t device) {
  sqlite::Statement select(database, kLatestSession);
  if (!select.bind(device).step()) return std::nullopt;
  auto row = select.row();
  return read_environment(row);
}

}  // namespace gktune

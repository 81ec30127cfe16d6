#include "db/session_row.h"

#include <set>
#include <string>
#include <utility>

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
  sqlite::Statement select(database, kSessionsOfDevice);
  select.bind(device);
  std::set<std::string> hosts;
  std::optional<SessionEnvironment> newest;
  const auto version_of = [](const SessionEnvironment& each) { return EnvironmentVersion(each.driver, each.runtime); };
  while (select.step()) {
    auto row = select.row();
    SessionEnvironment environment = read_environment(row);
    if (!hosts.insert(environment.host_name).second) continue;
    if (!newest || version_of(*newest) < version_of(environment)) newest = std::move(environment);
  }
  return newest;
}

}  // namespace gktune

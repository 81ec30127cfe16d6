#include "db/session_row.h"

#include <set>
#include <string>
#include <utility>

namespace gktune {

std::optional<SessionEnvironment> read_environment(sqlite::Row& row) {
  const bool is_sound = row.boolean();
  SessionEnvironment environment;
  environment.tool_version = row.text();
  environment.host_name = row.text();
  environment.driver = row.text();
  environment.runtime = row.text();
  environment.compiler = row.text();
  if (!is_sound) return std::nullopt;
  return environment;
}

std::optional<SessionEnvironment> latest_environment(const sqlite::Database& database, std::int64_t device) {
  sqlite::Statement select(database, kSessionsOfDevice);
  select.bind(device);
  std::set<std::string> hosts;
  std::optional<SessionEnvironment> newest;
  const auto version_of = [](const SessionEnvironment& each) {
    return EnvironmentVersion(each.driver, each.runtime);
  };
  while (select.step()) {
    auto row = select.row();
    auto environment = read_environment(row);
    if (!environment || !hosts.insert(environment->host_name).second) continue;
    if (!newest || version_of(*newest) < version_of(*environment)) newest = std::move(environment);
  }
  return newest;
}

}  // namespace gktune

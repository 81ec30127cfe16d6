#include "db/winner_row.h"

#include <optional>
#include <string>

#include "db/general_configs_sql.h"
#include "db/sqlite/statement.h"

namespace gktune {
namespace {

constexpr const char* kInsertWinners =
    "INSERT INTO winners (study_id, trial_id, finalist_id, session_id, config, median_us)"
    " SELECT w.study_id, t.id, f.id, t.session_id, t.config,"
    "   CASE WHEN f.id IS NULL THEN t.median_us ELSE f.median_us END"
    " FROM winner_view w JOIN trials t ON t.id = w.trial_id LEFT JOIN finalists f ON f.id = w.finalist_id";

}  // namespace

void refresh_winner(const sqlite::Database& database, std::int64_t study) {
  struct Place {
    std::optional<std::int64_t> trial, finalist;
    bool operator==(const Place&) const = default;
  };
  const auto place_in = [&](const char* select) {
    sqlite::Statement find(database, select);
    Place place;
    if (!find.bind(study).step()) return place;
    auto row = find.row();
    place.trial = row.maybe_integer();
    place.finalist = row.maybe_integer();
    return place;
  };
  const Place stored = place_in("SELECT trial_id, finalist_id FROM winners WHERE study_id = ?");
  if (stored == place_in("SELECT trial_id, finalist_id FROM winner_view WHERE study_id = ?")) return;
  sqlite::Statement(database, "DELETE FROM winners WHERE study_id = ?").bind(study).run();
  sqlite::Statement(database, std::string(kInsertWinners) + " WHERE w.study_id = ?").bind(study).run();
}

void refresh_all_winners(sqlite::Database& database) {
  database.execute("DELETE FROM winners");
  database.execute(kInsertWinners);
}

void refresh_general_configs(const sqlite::Database& database, std::int64_t session) {
  sqlite::Statement(
      database,
      GKTUNE_FILL_GENERAL_CONFIGS(
          "EXISTS (SELECT 1 FROM (SELECT DISTINCT o.kernel, o.fingerprint, o.device_id FROM trials a"
          " JOIN studies o ON o.id = a.study_id WHERE a.session_id = ?1) own"
          " WHERE own.kernel = s.kernel AND own.fingerprint = s.fingerprint AND own.device_id = s.device_id)"))
      .bind(session)
      .run();
}

void refresh_all_general_configs(sqlite::Database& database) {
  database.execute("DELETE FROM general_configs");
  database.execute(GKTUNE_FILL_GENERAL_CONFIGS("1"));
}

}  // namespace gktune

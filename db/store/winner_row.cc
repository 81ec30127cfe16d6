#include "db/store/winner_row.h"

#include <optional>

#include "db/sqlite/statement.h"
#include "db/store/trial_row.h"
#include "db/winners_sql.h"

namespace gktune {
namespace {

bool is_damaged(const sqlite::Database& database, std::optional<std::int64_t> trial) {
  sqlite::Statement find(database, "SELECT 1 FROM trials WHERE id = ? AND NOT " + kTrialIsSound);
  return find.bind(trial).step();
}

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
  const Place best = place_in("SELECT trial_id, finalist_id FROM winner_view WHERE study_id = ?");
  if (stored == best) return;
  sqlite::Statement(database, "DELETE FROM winners WHERE study_id = ?").bind(study).run();
  if (is_damaged(database, best.trial)) {
    sqlite::Statement(database,
                      "INSERT INTO winners (study_id, trial_id, session_id, config, median_us)"
                      " SELECT study_id, id, session_id, config, median_us FROM trials WHERE id = ?")
        .bind(best_sound_trial(database, study))
        .run();
  } else {
    sqlite::Statement(database, GKTUNE_FILL_WINNERS " WHERE w.study_id = ?").bind(study).run();
  }
}

void refresh_all_winners(sqlite::Database& database) {
  database.execute("DELETE FROM winners");
  database.execute(GKTUNE_FILL_WINNERS);
}

void refresh_general_configs(const sqlite::Database& database, std::int64_t session) {
  sqlite::Statement(
      database,
      GKTUNE_FILL_GENERAL_CONFIGS(
          "EXISTS (SELECT 1 FROM (SELECT DISTINCT o.kernel, o.fingerprint, o.device_id FROM trials a"
          " JOIN studies o ON o.id = a.study_id WHERE a.session_id = ?1) own"
          " WHERE own.kernel = s.kernel AND own.fingerprint = s.fingerprint AND own.device_id = "
          "s.device_id)"))
      .bind(session)
      .run();
}

void refresh_all_general_configs(sqlite::Database& database) {
  database.execute("DELETE FROM general_configs");
  database.execute(GKTUNE_FILL_GENERAL_CONFIGS("1"));
}

}  // namespace gktune

#include "db/store/winner_row.h"

#include <optional>
#include <utility>

#include "db/row_sums.h"
#include "db/sqlite/statement.h"
#include "db/store/trial_row.h"
#include "db/winners_sql.h"

namespace gktune {
namespace {

struct Place {
  std::optional<std::int64_t> trial, finalist;
  bool operator==(const Place&) const = default;
};

bool is_damaged(const sqlite::Database& database, const Place& place) {
  sqlite::Statement find(database, "SELECT 1 FROM trials WHERE id = ?1 AND NOT " + kTrialIsSound +
                                       " UNION ALL SELECT 1 FROM finalists WHERE id = ?2 AND NOT " +
                                       kFinalistIsSound);
  return find.bind(place.trial, place.finalist).step();
}

}  // namespace

void refresh_winner(const sqlite::Database& database, std::int64_t study) {
  const auto place_in = [&](const std::string& select) {
    sqlite::Statement find(database, select);
    Place place;
    if (!find.bind(study).step()) return place;
    auto row = find.row();
    place.trial = row.maybe_integer();
    place.finalist = row.maybe_integer();
    return place;
  };
  const Place stored = place_in("SELECT trial_id, finalist_id FROM winners WHERE study_id = ? AND " +
                                is_sound(summed::kWinners));
  Place best = place_in("SELECT trial_id, finalist_id FROM winner_view WHERE study_id = ?");
  const bool is_replaced = is_damaged(database, best);
  if (is_replaced) best = {best_sound_trial(database, study), std::nullopt};
  if (stored == best) return;
  sqlite::Statement(database, "DELETE FROM winners WHERE study_id = ?").bind(study).run();
  if (is_replaced) {
    sqlite::Statement(database,
                      "INSERT INTO winners (study_id, trial_id, session_id, config, median_us)"
                      " SELECT study_id, id, session_id, config, median_us FROM trials WHERE id = ?")
        .bind(best.trial)
        .run();
  } else {
    sqlite::Statement(database, GKTUNE_FILL_WINNERS " WHERE w.study_id = ?").bind(study).run();
  }
  sqlite::Statement(database, seal(summed::kWinners, "study_id = ?")).bind(study).run();
}

std::set<TunedVersion> tuned_versions(const sqlite::Database& database, const std::string& studies,
                                      std::int64_t value) {
  sqlite::Statement select(
      database, "SELECT DISTINCT kernel, fingerprint, device_id FROM studies WHERE id IN (" + studies + ")");
  select.bind(value);
  std::set<TunedVersion> versions;
  while (select.step()) {
    auto row = select.row();
    TunedVersion version;
    version.kernel = row.text(), version.fingerprint = row.text(), version.device = row.integer();
    versions.insert(std::move(version));
  }
  return versions;
}

void refresh_general_configs(const sqlite::Database& database, const std::set<TunedVersion>& versions) {
  sqlite::Statement remove(
      database, "DELETE FROM general_configs WHERE kernel = ? AND fingerprint = ? AND device_id = ?");
  sqlite::Statement fill(
      database, GKTUNE_FILL_GENERAL_CONFIGS("s.kernel = ?1 AND s.fingerprint = ?2 AND s.device_id = ?3"));
  sqlite::Statement finish(database,
                           seal(summed::kGeneralConfigs, "kernel = ? AND fingerprint = ? AND device_id = ?"));
  for (const TunedVersion& each : versions) {
    remove.bind(each.kernel, each.fingerprint, each.device).run();
    fill.bind(each.kernel, each.fingerprint, each.device).run();
    finish.bind(each.kernel, each.fingerprint, each.device).run();
  }
}

}  // namespace gktune

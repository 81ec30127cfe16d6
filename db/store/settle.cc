#include "db/store/settle.h"

#include <string>

#include "db/row_sums.h"
#include "db/sqlite/database.h"
#include "db/sqlite/statement.h"
#include "db/store/study_counts.h"
#include "db/store/winner_row.h"

namespace gktune {
namespace {

void run(const sqlite::Database& database, const std::string& sql, std::int64_t study) {
  sqlite::Statement(database, sql).bind(study).run();
}

}  // namespace

void settle(sqlite::Database& database, const std::set<std::int64_t>& studies) {
  std::set<TunedVersion> versions;
  for (const std::int64_t study : studies) versions.merge(tuned_versions(database, "?", study));
  for (const std::int64_t study : studies) {
    run(database,
        "DELETE FROM playoffs WHERE study_id = ?1"
        " AND NOT EXISTS (SELECT 1 FROM finalists f WHERE f.playoff_id = playoffs.id AND f.place = 1)",
        study);
    run(database,
        "UPDATE trials SET is_current = 1 WHERE id IN"
        " (SELECT id FROM (SELECT id, row_number() OVER (PARTITION BY config ORDER BY ended_ms DESC, id "
        "DESC) AS age"
        "  FROM trials t WHERE study_id = ?1 AND is_current = 0"
        "  AND NOT EXISTS (SELECT 1 FROM trials c WHERE c.study_id = ?1 AND c.config = t.config AND "
        "c.is_current = 1))"
        "  WHERE age = 1)",
        study);
    recount(database, study);
    refresh_winner(database, study);
    run(database,
        change_sound(summed::kStudies, "updated_ms",
                     "(SELECT coalesce(max(ended_ms), 0) FROM trials WHERE study_id = ?1)", "id = ?1"),
        study);
    run(database,
        "DELETE FROM studies WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM trials WHERE study_id = ?1)"
        " AND NOT EXISTS (SELECT 1 FROM claims WHERE study_id = ?1)",
        study);
  }
  refresh_general_configs(database, versions);
  sqlite::Statement(
      database,
      "DELETE FROM spaces WHERE NOT EXISTS (SELECT 1 FROM studies s WHERE s.kernel = spaces.kernel"
      " AND s.fingerprint = spaces.fingerprint)")
      .run();
  sqlite::Statement(database,
                    "DELETE FROM portfolios WHERE NOT EXISTS (SELECT 1 FROM studies s WHERE"
                    " s.kernel = portfolios.kernel AND s.fingerprint = portfolios.fingerprint"
                    " AND s.device_id = portfolios.device_id)")
      .run();
  sqlite::Statement(
      database,
      "DELETE FROM devices WHERE NOT EXISTS (SELECT 1 FROM studies s WHERE s.device_id = devices.id)"
      " AND NOT EXISTS (SELECT 1 FROM portfolios p WHERE p.device_id = devices.id)")
      .run();
}

}  // namespace gktune

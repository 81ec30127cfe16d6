#include "db/store/health.h"

#include <string>

#include "db/open.h"
#include "db/row_sums.h"
#include "db/schema.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/statement.h"
#include "db/store/findings.h"
#include "db/store/repair.h"
#include "db/store/row_check.h"

namespace gktune {
namespace {

using sqlite::Database;
using sqlite::Failure;
using sqlite::Statement;

// Rows that contradict each other. Each query returns a text for each.
constexpr const char* kContradictions[] = {
    kOrphanQuery,
    "SELECT 'study ' || study_id || ': ' || config || ' has no current trial' FROM trials"
    " GROUP BY study_id, config HAVING max(is_current) = 0",
    "SELECT 'study ' || study_id || ': the counts of its trials are wrong' FROM"
    " (SELECT study_id, is_current, status, count(*) AS trials FROM trials GROUP BY 1, 2, 3 EXCEPT"
    "  SELECT study_id, is_current, status, trials FROM study_counts)",
    "SELECT 'study ' || c.study_id || ': the counts of its trials are wrong' FROM study_counts c WHERE "
    "trials <> 0"
    " AND NOT EXISTS (SELECT 1 FROM trials t WHERE t.study_id = c.study_id AND t.is_current = c.is_current"
    "  AND t.status = c.status)",
    "SELECT 'study ' || c.study_id || ': the seconds of its trials are wrong' FROM study_counts c JOIN"
    " (SELECT study_id, is_current, status, total(compile_s) AS compile_s, total(run_s) AS run_s FROM trials "
    "GROUP BY 1, 2, 3) t"
    " ON t.study_id = c.study_id AND t.is_current = c.is_current AND t.status = c.status"
    " WHERE abs(t.compile_s - c.compile_s) > 1e-6 * (1 + t.compile_s) OR abs(t.run_s - c.run_s) > 1e-6 * (1 "
    "+ t.run_s)",
    "SELECT 'study ' || s.id || ': its time is not that of its latest trial' FROM studies s"
    " WHERE s.updated_ms <> (SELECT coalesce(max(t.ended_ms), 0) FROM trials t WHERE t.study_id = s.id)",
    "SELECT 'playoff ' || id || ' has no winner' FROM playoffs p"
    " WHERE NOT EXISTS (SELECT 1 FROM finalists f WHERE f.playoff_id = p.id AND f.place = 1)",
    "SELECT 'finalist ' || f.id || ' is a trial of another study' FROM finalists f"
    " JOIN playoffs p ON p.id = f.playoff_id JOIN trials t ON t.id = f.trial_id WHERE t.study_id <> "
    "p.study_id",
    "SELECT 'study ' || v.study_id || ': its stored winner is not its winner' FROM winner_view v"
    " LEFT JOIN winners w ON w.study_id = v.study_id"
    " WHERE v.trial_id IS NOT w.trial_id OR v.finalist_id IS NOT w.finalist_id",
    // A session writes it at its end.
    "SELECT DISTINCT 'general_configs ' || s.kernel || ' ' || s.fingerprint || ' ' || s.device_id || ' ' || "
    "s.regime || ' ' ||"
    " s.objective || ' is missing' FROM studies s WHERE NOT EXISTS (SELECT 1 FROM general_configs g WHERE "
    "(g.kernel,"
    "  g.fingerprint, g.device_id, g.regime, g.objective) = (s.kernel, s.fingerprint, s.device_id, s.regime, "
    "s.objective))"
    " AND EXISTS (SELECT 1 FROM trials t WHERE t.study_id = s.id AND t.is_current = 1 AND t.status = 'ok'"
    "  AND t.objective IS NOT NULL)"
    " AND NOT EXISTS (SELECT 1 FROM studies o JOIN trials t ON t.study_id = o.id JOIN sessions c ON c.id = "
    "t.session_id"
    "  WHERE (o.kernel, o.fingerprint, o.device_id) = (s.kernel, s.fingerprint, s.device_id) AND c.ended_ms "
    "IS NULL)",
    "SELECT 'study ' || w.study_id || ': its stored winner is damaged' FROM winners w"
    " JOIN trials t ON t.id = w.trial_id LEFT JOIN finalists f ON f.id = w.finalist_id"
    " WHERE w.config <> t.config OR w.median_us IS NOT CASE WHEN f.id IS NULL THEN t.median_us ELSE "
    "f.median_us END",
};

void add_damaged_rows(const Database& database, Health& health) {
  for (const SummedTable& table : summed::kAll) {
    Findings findings(health.findings);
    try {
      check_rows(database, table.name, [&](const CheckedRow& row) {
        health.trials += table.name == "trials" ? 1 : 0;
        health.finalists += table.name == "finalists" ? 1 : 0;
        if (!row.damage.empty()) findings.add(row.name + ": " + row.damage);
      });
    } catch (const Failure& failure) {
      findings.add(std::string(table.name) + ": " + failure.what());
    }
  }
}

void add_contradictions(const Database& database, Health& health) {
  for (const char* sql : kContradictions) {
    Findings findings(health.findings);
    try {
      Statement select(database, sql);
      while (select.step()) findings.add(select.row().text());
    } catch (const Failure& failure) {
      findings.add(failure.what());
    }
  }
}

Health check(const Database& database) {
  Health health;
  try {
    database.verify();
  } catch (const Failure& failure) {
    health.findings.emplace_back(failure.what());
  }
  add_damaged_rows(database, health);
  add_contradictions(database, health);
  health.is_repairable = !health.findings.empty() && has_readable_trials(database);
  return health;
}

// The rows of a file that queries refuse. Its views may be of any kind.
Health check_damaged(const std::filesystem::path& path, Failure& refusal) {
  const Database database = open_damaged(path, kLockPatience);
  if (!has_readable_trials(database)) {
    refusal.refuse_repair();
    throw refusal;
  }
  Health health{.findings = {refusal.what()}, .is_repairable = true};
  add_damaged_rows(database, health);
  return health;
}

}  // namespace

Result<Health> check_database(const std::filesystem::path& path) {
  return sqlite::guarded(path.string(), [&] {
    try {
      return check(open_for_reading(path, kLockPatience));
    } catch (Failure& failure) {
      if (!failure.is_repairable()) throw;
      return check_damaged(path, failure);
    }
  });
}

}  // namespace gktune

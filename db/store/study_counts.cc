#include "db/store/study_counts.h"

#include "db/sqlite/database.h"
#include "db/sqlite/statement.h"

namespace gktune {

void change_counts(const sqlite::Database& database, std::int64_t study, const CountChange& change) {
  sqlite::Statement(database,
                    "INSERT INTO study_counts (study_id, is_current, status, trials, compile_s, run_s)"
                    " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET trials = trials + excluded.trials,"
                    " compile_s = compile_s + excluded.compile_s, run_s = run_s + excluded.run_s")
      .bind(study, change.is_current, change.status, change.trials, change.trials * change.compile_s,
            change.trials * change.run_s)
      .run();
}

void recount(const sqlite::Database& database, std::int64_t study) {
  sqlite::Statement(database, "DELETE FROM study_counts WHERE study_id = ?").bind(study).run();
  sqlite::Statement(
      database,
      "INSERT INTO study_counts SELECT study_id, is_current, status, count(*), total(compile_s),"
      " total(run_s) FROM trials WHERE study_id = ? GROUP BY 1, 2, 3")
      .bind(study)
      .run();
}

}  // namespace gktune

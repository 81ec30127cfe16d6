#include "db/schema.h"

#include <string>

#include "db/sqlite/database.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/transaction.h"

namespace gktune {
namespace {

constexpr std::string_view kTables = R"sql(
CREATE TABLE devices (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL,                -- cuda, host, replay
  name TEXT NOT NULL,
  architecture TEXT NOT NULL,
  multiprocessors INTEGER NOT NULL,
  UNIQUE (kind, name, architecture, multiprocessors)
) STRICT;

-- What trials have in common that may be compared with each other.
CREATE TABLE studies (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  fingerprint TEXT NOT NULL,         -- of source, space and options
  device_id INTEGER NOT NULL REFERENCES devices (id),
  problem TEXT NOT NULL,             -- JSON, its names sorted
  regime TEXT NOT NULL,              -- cold, hot
  objective TEXT NOT NULL,           -- time, maximize GB/s
  updated_ms INTEGER NOT NULL DEFAULT 0,  -- when its latest trial ended
  UNIQUE (kernel, fingerprint, device_id, problem, regime, objective)
) STRICT;

-- One call of the program, and what it ran with.
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  tool_version TEXT NOT NULL,
  driver TEXT NOT NULL,
  runtime TEXT NOT NULL,
  compiler TEXT NOT NULL,
  host_name TEXT NOT NULL,
  command_line TEXT NOT NULL,
  begun_ms INTEGER NOT NULL,
  ended_ms INTEGER                   -- NULL: it runs, or came to a sudden end
) STRICT;

-- NULL is what is not known. The identifiers grow in the order the trials ended, and are never used again.
CREATE TABLE trials (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  study_id INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  config TEXT NOT NULL,              -- JSON, its names sorted
  status TEXT NOT NULL,
  message TEXT NOT NULL,
  objective REAL,                    -- lower is better; NULL for a failure
  out_of_race INTEGER NOT NULL,      -- sampling was cut short
  median_us REAL,
  low_us REAL,                       -- the 95 % confidence interval of the median
  high_us REAL,
  min_us REAL,
  mean_us REAL,
  deviation_us REAL,
  metrics TEXT NOT NULL,             -- JSON
  registers INTEGER,
  spill_bytes INTEGER,
  static_shared_bytes INTEGER,
  dynamic_shared_bytes INTEGER,
  occupancy REAL,
  grid_x INTEGER NOT NULL,
  grid_y INTEGER NOT NULL,
  grid_z INTEGER NOT NULL,
  block_x INTEGER NOT NULL,
  block_y INTEGER NOT NULL,
  block_z INTEGER NOT NULL,
  clock_mhz REAL,
  temperature_c REAL,
  power_w REAL,
  energy_j REAL,
  throttled INTEGER NOT NULL,
  compile_s REAL NOT NULL,
  run_s REAL NOT NULL,
  started_ms INTEGER NOT NULL,
  ended_ms INTEGER NOT NULL,
  samples BLOB NOT NULL,             -- microseconds, as little-endian doubles
  UNIQUE (study_id, config)
) STRICT;
-- Finds the quickest of a study, and counts its failures, without a look at the trials themselves.
CREATE INDEX trials_by_result ON trials (study_id, status, out_of_race, objective);
CREATE INDEX trials_by_session ON trials (session_id);

-- The winner of the last playoff of a study.
CREATE TABLE best (
  study_id INTEGER PRIMARY KEY REFERENCES studies (id) ON DELETE CASCADE,
  trial_id INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
  last_trial_id INTEGER NOT NULL,    -- the study's latest when it was held
  median_us REAL,                    -- NULL: it was chosen without a playoff
  samples BLOB NOT NULL
) STRICT;
CREATE INDEX best_by_trial ON best (trial_id);

CREATE VIEW study_view AS
SELECT s.id AS study_id, s.kernel, s.fingerprint, d.kind AS device_kind, d.name AS device, d.architecture,
       d.multiprocessors, s.problem, s.regime, s.objective AS goal, s.updated_ms,
       (SELECT count(*) FROM trials t WHERE t.study_id = s.id) AS trials,
       (SELECT count(*) FROM trials t WHERE t.study_id = s.id AND t.status <> 'ok') AS failed
FROM studies s JOIN devices d ON d.id = s.device_id;

-- The winner of each study: of its playoff, unless a later trial did better; else the trial that did best.
CREATE VIEW winner_view AS
SELECT s.id AS study_id,
       coalesce(
         (SELECT b.trial_id FROM best b JOIN trials w ON w.id = b.trial_id
          WHERE b.study_id = s.id AND w.study_id = s.id
            AND NOT EXISTS (SELECT 1 FROM trials t
                            WHERE t.study_id = s.id AND t.status = 'ok' AND t.out_of_race = 0
                              AND t.objective < w.objective AND t.id > b.last_trial_id)),
         (SELECT t.id FROM trials t
          WHERE t.study_id = s.id AND t.status = 'ok' AND t.objective IS NOT NULL
          ORDER BY t.out_of_race, t.objective, t.id LIMIT 1)) AS trial_id
FROM studies s;

CREATE VIEW best_view AS
SELECT v.*, t.id AS trial_id, t.config, coalesce(b.median_us, t.median_us) AS median_us,
       b.median_us IS NOT NULL AS from_playoff,
       length(CASE WHEN b.median_us IS NULL THEN t.samples ELSE b.samples END) / 8 AS samples,
       t.metrics, t.objective
FROM winner_view w
JOIN study_view v ON v.study_id = w.study_id
JOIN trials t ON t.id = w.trial_id
LEFT JOIN best b ON b.study_id = w.study_id AND b.trial_id = w.trial_id;

CREATE VIEW trial_view AS
SELECT t.id AS trial_id, t.study_id, s.kernel, s.fingerprint, d.name AS device, s.problem, s.regime, t.config,
       t.status, t.median_us, t.objective, t.metrics, t.out_of_race, t.registers, t.spill_bytes, t.occupancy,
       t.compile_s, t.run_s, datetime(t.ended_ms / 1000, 'unixepoch') AS ended, t.message
FROM trials t JOIN studies s ON s.id = t.study_id JOIN devices d ON d.id = s.device_id;
)sql";

constexpr std::string_view kSteps[] = {kTables};

}  // namespace

std::span<const std::string_view> schema_steps() { return kSteps; }

void migrate(sqlite::Database& database, std::span<const std::string_view> steps) {
  auto target = static_cast<std::int64_t>(steps.size());
  auto is_current = [&] {
    return database.integer("PRAGMA user_version") == target &&
           database.integer("PRAGMA application_id") == kApplicationId;
  };
  if (is_current()) return;
  sqlite::Transaction transaction(database, sqlite::Transaction::Kind::write);
  // Another program may have migrated it while this one waited.
  if (is_current()) return;
  auto version = database.integer("PRAGMA user_version");
  bool is_new = version == 0 && database.integer("SELECT count(*) FROM sqlite_schema") == 0;
  if (!is_new && database.integer("PRAGMA application_id") != kApplicationId)
    throw sqlite::Failure(kForeignFile);
  if (version > target) throw sqlite::Failure(newer_schema(version, target));
  if (version < 0) throw sqlite::Failure("damaged: schema " + std::to_string(version));
  for (auto step : steps.subspan(static_cast<std::size_t>(version))) database.execute(std::string(step));
  database.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
  database.execute("PRAGMA user_version = " + std::to_string(target));
  transaction.commit();
}

std::string newer_schema(std::int64_t version, std::int64_t known) {
  return "has schema " + std::to_string(version) + ", and this version of gktune knows up to " +
         std::to_string(known) + ": it was written by a newer one";
}

}  // namespace gktune

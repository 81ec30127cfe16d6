#include "db/schema.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "db/row_sums.h"
#include "db/sqlite/database.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/statement.h"
#include "db/sqlite/transaction.h"
#include "db/winners_sql.h"

namespace gktune {
namespace {

// The columns of a result, as schema 1 and schema 2 write them.
#define GKTUNE_RESULT_COLUMNS                                                               \
  "  config TEXT NOT NULL,              -- JSON, its names sorted\n"                        \
  "  status TEXT NOT NULL,\n"                                                               \
  "  message TEXT NOT NULL,\n"                                                              \
  "  objective REAL,                    -- lower is better; NULL for a failure\n"           \
  "  out_of_race INTEGER NOT NULL,      -- sampling was cut short\n"                        \
  "  median_us REAL,\n"                                                                     \
  "  low_us REAL,                       -- the 95 % confidence interval of the median\n"    \
  "  high_us REAL,\n"                                                                       \
  "  min_us REAL,\n"                                                                        \
  "  mean_us REAL,\n"                                                                       \
  "  deviation_us REAL,\n"                                                                  \
  "  metrics TEXT NOT NULL,             -- JSON\n"                                          \
  "  registers INTEGER,\n"                                                                  \
  "  spill_bytes INTEGER,\n"                                                                \
  "  static_shared_bytes INTEGER,\n"                                                        \
  "  dynamic_shared_bytes INTEGER,\n"                                                       \
  "  occupancy REAL,\n"                                                                     \
  "  grid_x INTEGER NOT NULL,\n"                                                            \
  "  grid_y INTEGER NOT NULL,\n"                                                            \
  "  grid_z INTEGER NOT NULL,\n"                                                            \
  "  block_x INTEGER NOT NULL,\n"                                                           \
  "  block_y INTEGER NOT NULL,\n"                                                           \
  "  block_z INTEGER NOT NULL,\n"                                                           \
  "  clock_mhz REAL,\n"                                                                     \
  "  temperature_c REAL,\n"                                                                 \
  "  power_w REAL,\n"                                                                       \
  "  energy_j REAL,\n"                                                                      \
  "  throttled INTEGER NOT NULL,\n"                                                         \
  "  compile_s REAL NOT NULL,\n"                                                            \
  "  run_s REAL NOT NULL,\n"                                                                \
  "  started_ms INTEGER NOT NULL,\n"                                                        \
  "  ended_ms INTEGER NOT NULL,\n"                                                          \
  "  samples BLOB NOT NULL,             -- microseconds, as little-endian doubles\n"

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
)sql" GKTUNE_RESULT_COLUMNS R"sql(  UNIQUE (study_id, config)
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

// Trials are never overwritten; sessions describe their device and have identities of their own; a playoff
// keeps all its finalists. Databases of several hosts can be merged by (sessions.uuid, trials.number).
constexpr std::string_view kAppendOnly = R"sql(
DROP VIEW trial_view;
DROP VIEW best_view;
DROP VIEW winner_view;
DROP VIEW study_view;
DROP INDEX trials_by_result;
DROP INDEX trials_by_session;
DROP INDEX best_by_trial;
ALTER TABLE trials RENAME TO trials_1;
ALTER TABLE sessions RENAME TO sessions_1;

-- One call of the program on one device.
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  uuid TEXT NOT NULL UNIQUE,         -- the same in every database that holds this session
  tool_version TEXT NOT NULL,
  host_name TEXT NOT NULL,
  driver TEXT NOT NULL,
  runtime TEXT NOT NULL,
  compiler TEXT NOT NULL,
  figures TEXT,                      -- JSON: limits, sizes and clocks of the device; NULL: schema 1 had none
  command_line TEXT NOT NULL,
  begun_ms INTEGER NOT NULL,
  ended_ms INTEGER                   -- NULL: it is running, or it was killed
) STRICT;

-- Rows are only added. NULL is unknown. Of several rows of one configuration the latest is current.
CREATE TABLE trials (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  study_id INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  number INTEGER NOT NULL,           -- within the session
  is_current INTEGER NOT NULL,       -- 1 in the latest row of the configuration, else 0
)sql" GKTUNE_RESULT_COLUMNS R"sql(  UNIQUE (session_id, number)
) STRICT;
CREATE UNIQUE INDEX trials_by_config ON trials (study_id, config) WHERE is_current = 1;
-- Finds the best trial of a study and counts its failures without reading the trials.
CREATE INDEX trials_by_result ON trials (study_id, is_current, status, out_of_race, objective);

-- The finalists of a study, measured in turn.
CREATE TABLE playoffs (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  held_ms INTEGER NOT NULL           -- when it ended
) STRICT;
CREATE INDEX playoffs_by_study ON playoffs (study_id, held_ms);
CREATE INDEX playoffs_by_session ON playoffs (session_id);

CREATE TABLE finalists (
  id INTEGER PRIMARY KEY,
  playoff_id INTEGER NOT NULL REFERENCES playoffs (id) ON DELETE CASCADE,
  place INTEGER NOT NULL,            -- 1 is the winner
  trial_id INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
  objective REAL,
  median_us REAL,
  low_us REAL,
  high_us REAL,
  min_us REAL,
  mean_us REAL,
  deviation_us REAL,
  metrics TEXT,                      -- JSON, computed from this time; NULL: schema 1 had none
  samples BLOB NOT NULL,
  UNIQUE (playoff_id, place)
) STRICT;
CREATE INDEX finalists_by_trial ON finalists (trial_id);

-- Not random: the same old file migrated on two hosts gives the same sessions.
INSERT INTO sessions (id, uuid, tool_version, host_name, driver, runtime, compiler, figures, command_line,
                      begun_ms, ended_ms)
SELECT id, 'schema 1: ' || host_name || ' ' || begun_ms || ' ' || id, tool_version, host_name, driver, runtime,
       compiler, NULL, command_line, begun_ms, ended_ms
FROM sessions_1;

INSERT INTO trials (id, study_id, session_id, number, is_current, config, status, message, objective,
                    out_of_race, median_us, low_us, high_us, min_us, mean_us, deviation_us, metrics, registers,
                    spill_bytes, static_shared_bytes, dynamic_shared_bytes, occupancy, grid_x, grid_y, grid_z,
                    block_x, block_y, block_z, clock_mhz, temperature_c, power_w, energy_j, throttled,
                    compile_s, run_s, started_ms, ended_ms, samples)
SELECT id, study_id, session_id, row_number() OVER (PARTITION BY session_id ORDER BY id), 1, config, status,
       message, objective, out_of_race, median_us, low_us, high_us, min_us, mean_us, deviation_us, metrics,
       registers, spill_bytes, static_shared_bytes, dynamic_shared_bytes, occupancy, grid_x, grid_y, grid_z,
       block_x, block_y, block_z, clock_mhz, temperature_c, power_w, energy_j, throttled, compile_s, run_s,
       started_ms, ended_ms, samples
FROM trials_1 ORDER BY id;

INSERT INTO playoffs (id, study_id, session_id, held_ms)
SELECT b.study_id, b.study_id, w.session_id,
       (SELECT max(t.ended_ms) FROM trials_1 t WHERE t.study_id = b.study_id AND t.id <= b.last_trial_id)
FROM best b JOIN trials_1 w ON w.id = b.trial_id AND w.study_id = b.study_id
WHERE w.status = 'ok' AND w.id <= b.last_trial_id;
INSERT INTO finalists (playoff_id, place, trial_id, objective, median_us, metrics, samples)
SELECT p.id, 1, b.trial_id, CASE WHEN s.objective = 'time' THEN coalesce(b.median_us, w.median_us) END,
       coalesce(b.median_us, w.median_us), CASE WHEN b.median_us IS NULL THEN w.metrics END,
       CASE WHEN b.median_us IS NULL THEN w.samples ELSE b.samples END
FROM best b JOIN playoffs p ON p.id = b.study_id JOIN studies s ON s.id = b.study_id
JOIN trials w ON w.id = b.trial_id;

DROP TABLE best;
DROP TABLE trials_1;
DROP TABLE sessions_1;

CREATE VIEW study_view AS
SELECT s.id AS study_id, s.kernel, s.fingerprint, d.kind AS device_kind, d.name AS device, d.architecture,
       d.multiprocessors, s.problem, s.regime, s.objective AS goal, s.updated_ms,
       (SELECT count(*) FROM trials t WHERE t.study_id = s.id AND t.is_current = 1) AS trials,
       (SELECT count(*) FROM trials t
        WHERE t.study_id = s.id AND t.is_current = 1 AND t.status <> 'ok') AS failed
FROM studies s JOIN devices d ON d.id = s.device_id;

-- The winner of the latest playoff of each study, unless it was measured again or a later trial did better.
CREATE VIEW playoff_winner_view AS
SELECT p.study_id, p.id AS playoff_id, f.id AS finalist_id, f.trial_id
FROM playoffs p JOIN finalists f ON f.playoff_id = p.id AND f.place = 1 JOIN trials w ON w.id = f.trial_id
WHERE w.study_id = p.study_id AND w.is_current = 1 AND w.status = 'ok'
  AND p.id = (SELECT l.id FROM playoffs l WHERE l.study_id = p.study_id
              ORDER BY l.held_ms DESC, l.id DESC LIMIT 1)
  AND NOT EXISTS (SELECT 1 FROM trials t
                  WHERE t.study_id = p.study_id AND t.is_current = 1 AND t.status = 'ok'
                    AND t.out_of_race = 0 AND t.objective < w.objective AND t.ended_ms > p.held_ms);

-- The winner of each study: of its playoff, else its best trial, by evidence and time.
CREATE VIEW winner_view AS
SELECT s.id AS study_id,
       (SELECT p.finalist_id FROM playoff_winner_view p WHERE p.study_id = s.id) AS finalist_id,
       coalesce(
         (SELECT p.trial_id FROM playoff_winner_view p WHERE p.study_id = s.id),
         (SELECT t.id FROM trials t
          WHERE t.study_id = s.id AND t.is_current = 1 AND t.status = 'ok' AND t.objective IS NOT NULL
          ORDER BY t.out_of_race, t.objective, length(t.samples) DESC, t.ended_ms DESC, t.config
          LIMIT 1)) AS trial_id
FROM studies s;

CREATE VIEW best_view AS
SELECT v.*, t.id AS trial_id, f.id AS finalist_id, t.config,
       CASE WHEN f.id IS NULL THEN t.median_us ELSE f.median_us END AS median_us,
       f.id IS NOT NULL AS from_playoff,
       length(CASE WHEN f.id IS NULL THEN t.samples ELSE f.samples END) / 8 AS samples,
       CASE WHEN f.id IS NULL THEN t.metrics ELSE f.metrics END AS metrics,
       CASE WHEN f.id IS NULL THEN t.objective ELSE f.objective END AS objective
FROM winner_view w
JOIN study_view v ON v.study_id = w.study_id
JOIN trials t ON t.id = w.trial_id
LEFT JOIN finalists f ON f.id = w.finalist_id;

CREATE VIEW trial_view AS
SELECT t.id AS trial_id, t.study_id, s.kernel, s.fingerprint, d.name AS device, s.problem, s.regime, t.config,
       t.status, t.median_us, t.objective, t.metrics, t.out_of_race, t.registers, t.spill_bytes, t.occupancy,
       t.compile_s, t.run_s, datetime(t.ended_ms / 1000, 'unixepoch') AS ended, t.message, t.is_current,
       c.host_name, c.driver
FROM trials t JOIN studies s ON s.id = t.study_id JOIN devices d ON d.id = s.device_id
JOIN sessions c ON c.id = t.session_id;
)sql";

// Several programs share the work on a study.
constexpr std::string_view kClaims = R"sql(
ALTER TABLE trials RENAME COLUMN out_of_race TO is_dropped_early;

-- What a session works on; other sessions leave it alone until the lease ends.
CREATE TABLE claims (
  study_id INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  config TEXT NOT NULL,              -- as in trials; empty: the playoff
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  expires_ms INTEGER NOT NULL,
  PRIMARY KEY (study_id, config)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_session ON claims (session_id);
)sql";

// Rows carry checksums; counts and winners are stored, so that questions read no trial; playoffs outweigh
// single times of other hosts; general configurations and portfolios answer for problems that were not tuned.
constexpr std::string_view kEvidence = R"sql(
DROP VIEW trial_view;
DROP VIEW best_view;
DROP VIEW winner_view;
DROP VIEW playoff_winner_view;
DROP VIEW study_view;

ALTER TABLE studies ADD COLUMN recorded TEXT;    -- JSON: what an imported file says besides
ALTER TABLE trials ADD COLUMN recorded TEXT;     -- the same of one trial
ALTER TABLE trials ADD COLUMN checksum INTEGER;  -- of the row; NULL: schema 3 had none
ALTER TABLE finalists ADD COLUMN checksum INTEGER;

-- The number of trials of each study, and the time that they took.
CREATE TABLE study_counts (
  study_id INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  is_current INTEGER NOT NULL,
  status TEXT NOT NULL,
  trials INTEGER NOT NULL,
  compile_s REAL NOT NULL,
  run_s REAL NOT NULL,
  PRIMARY KEY (study_id, is_current, status)
) STRICT, WITHOUT ROWID;
INSERT INTO study_counts
SELECT study_id, is_current, status, count(*), total(compile_s), total(run_s) FROM trials GROUP BY 1, 2, 3;

-- Finds the best trials of a study, also those of a period, without reading the trials.
DROP INDEX trials_by_result;
CREATE INDEX trials_by_result ON trials (study_id, is_current, status, is_dropped_early, objective, ended_ms);

-- A few configurations that serve all tuned problems of a kernel, and the tree that chooses among them.
CREATE TABLE portfolios (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  device_id INTEGER NOT NULL REFERENCES devices (id),
  regime TEXT NOT NULL,
  objective TEXT NOT NULL,
  within REAL NOT NULL,              -- the loss that was allowed on each problem, of 1
  made_ms INTEGER NOT NULL,
  body TEXT NOT NULL,                -- JSON: configurations, tree, losses
  UNIQUE (kernel, fingerprint, device_id, regime, objective)
) STRICT;

-- The winner of each study as winner_view finds it; see winner_row.h.
CREATE TABLE winners (
  study_id INTEGER PRIMARY KEY REFERENCES studies (id) ON DELETE CASCADE,
  trial_id INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE,
  finalist_id INTEGER REFERENCES finalists (id) ON DELETE CASCADE,
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  config TEXT NOT NULL,
  median_us REAL
) STRICT;
CREATE INDEX winners_by_trial ON winners (trial_id);
CREATE INDEX winners_by_finalist ON winners (finalist_id);
CREATE INDEX winners_by_session ON winners (session_id);

-- From the space file that was tuned last with this fingerprint.
CREATE TABLE spaces (
  kernel TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  matching TEXT NOT NULL,            -- JSON: how axes match that say so, {"heads": "exact"}
  constraints TEXT NOT NULL,         -- JSON: expressions by their number
  default_config TEXT NOT NULL,      -- JSON
  PRIMARY KEY (kernel, fingerprint)
) STRICT, WITHOUT ROWID;

-- The configuration of a kernel and device with the best worst share of the best objective over all problems.
CREATE TABLE general_configs (
  kernel TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  device_id INTEGER NOT NULL REFERENCES devices (id),
  regime TEXT NOT NULL,
  objective TEXT NOT NULL,
  config TEXT NOT NULL,              -- JSON, its names sorted
  share REAL NOT NULL,               -- the worst, from 0 to 1
  problems INTEGER NOT NULL,         -- on which it succeeded
  PRIMARY KEY (kernel, fingerprint, device_id, regime, objective)
) STRICT, WITHOUT ROWID;

CREATE VIEW study_view AS
SELECT s.id AS study_id, s.kernel, s.fingerprint, d.kind AS device_kind, d.name AS device, d.architecture,
       d.multiprocessors, s.problem, s.regime, s.objective AS goal, s.updated_ms,
       (SELECT coalesce(sum(c.trials), 0) FROM study_counts c
        WHERE c.study_id = s.id AND c.is_current = 1) AS trials,
       (SELECT coalesce(sum(c.trials), 0) FROM study_counts c
        WHERE c.study_id = s.id AND c.is_current = 1 AND c.status <> 'ok') AS failed
FROM studies s JOIN devices d ON d.id = s.device_id;

-- The winner of the latest playoff of each study, unless it was measured again or a later trial of that host did
-- better.
CREATE VIEW playoff_winner_view AS
SELECT s.id AS study_id, p.id AS playoff_id, f.id AS finalist_id, f.trial_id
FROM studies s
CROSS JOIN playoffs p ON p.id = (SELECT l.id FROM playoffs l JOIN sessions k ON k.id = l.session_id
                                 WHERE l.study_id = s.id
                                 ORDER BY l.held_ms DESC, k.uuid DESC, l.id DESC LIMIT 1)
JOIN finalists f ON f.playoff_id = p.id AND f.place = 1 JOIN trials w ON w.id = f.trial_id
JOIN sessions c ON c.id = p.session_id
WHERE w.study_id = s.id AND w.is_current = 1 AND w.status = 'ok'
  AND NOT EXISTS (SELECT 1 FROM trials t JOIN sessions m ON m.id = t.session_id
                  WHERE t.study_id = p.study_id AND t.is_current = 1 AND t.status = 'ok'
                    AND t.is_dropped_early = 0 AND t.objective < w.objective AND t.ended_ms > p.held_ms
                    AND m.host_name = c.host_name);

-- The winner of each study: of its playoff, else its best trial, by evidence and time.
CREATE VIEW winner_view AS
SELECT s.id AS study_id,
       (SELECT p.finalist_id FROM playoff_winner_view p WHERE p.study_id = s.id) AS finalist_id,
       coalesce(
         (SELECT p.trial_id FROM playoff_winner_view p WHERE p.study_id = s.id),
         (SELECT t.id FROM trials t
          WHERE t.study_id = s.id AND t.is_current = 1 AND t.status = 'ok' AND t.objective IS NOT NULL
          ORDER BY t.is_dropped_early, t.objective, length(t.samples) DESC, t.ended_ms DESC, t.config
          LIMIT 1)) AS trial_id
FROM studies s;

)sql" GKTUNE_FILL_WINNERS R"sql(;

CREATE VIEW best_view AS
SELECT v.*, t.id AS trial_id, f.id AS finalist_id, t.config,
       CASE WHEN f.id IS NULL THEN t.median_us ELSE f.median_us END AS median_us,
       f.id IS NOT NULL AS from_playoff,
       length(CASE WHEN f.id IS NULL THEN t.samples ELSE f.samples END) / 8 AS samples,
       CASE WHEN f.id IS NULL THEN t.metrics ELSE f.metrics END AS metrics,
       CASE WHEN f.id IS NULL THEN t.objective ELSE f.objective END AS objective
FROM winners w
JOIN study_view v ON v.study_id = w.study_id
JOIN trials t ON t.id = w.trial_id
LEFT JOIN finalists f ON f.id = w.finalist_id;
CREATE VIEW trial_view AS
SELECT t.id AS trial_id, t.study_id, s.kernel, s.fingerprint, d.name AS device, s.problem, s.regime, t.config,
       t.status, t.median_us, t.objective, t.metrics, t.is_dropped_early, t.registers, t.spill_bytes, t.occupancy,
       t.compile_s, t.run_s, datetime(t.ended_ms / 1000, 'unixepoch') AS ended, t.message, t.number, t.is_current,
       c.host_name, c.driver
FROM trials t JOIN studies s ON s.id = t.study_id JOIN devices d ON d.id = s.device_id
JOIN sessions c ON c.id = t.session_id;

)sql" GKTUNE_FILL_GENERAL_CONFIGS("1") ";";

// Every row that holds a value has a checksum, also those that earlier schemas left without one.
// study_counts follow from the trials, and claims last for seconds. The indexes count what db prune would
// remove without reading trials.
constexpr std::string_view kChecksums = R"sql(
ALTER TABLE devices ADD COLUMN checksum INTEGER;
ALTER TABLE studies ADD COLUMN checksum INTEGER;
ALTER TABLE sessions ADD COLUMN checksum INTEGER;
ALTER TABLE playoffs ADD COLUMN checksum INTEGER;
ALTER TABLE winners ADD COLUMN checksum INTEGER;
ALTER TABLE portfolios ADD COLUMN checksum INTEGER;
ALTER TABLE spaces ADD COLUMN checksum INTEGER;
ALTER TABLE general_configs ADD COLUMN checksum INTEGER;

UPDATE sessions SET figures = NULL WHERE NOT json_valid(figures);  -- damage that no checksum tells

UPDATE devices SET checksum = gktune_checksum(kind, name, architecture, multiprocessors);
UPDATE studies SET checksum =
  gktune_checksum(kernel, fingerprint, device_id, problem, regime, objective, updated_ms, recorded);
UPDATE sessions SET checksum = gktune_checksum(uuid, tool_version, host_name, driver, runtime, compiler, figures,
                                               command_line, begun_ms, ended_ms);
UPDATE trials SET checksum = gktune_checksum(
  study_id, session_id, number, config, status, message, objective, is_dropped_early, median_us, low_us, high_us, min_us,
  mean_us, deviation_us, metrics, registers, spill_bytes, static_shared_bytes, dynamic_shared_bytes, occupancy, grid_x,
  grid_y, grid_z, block_x, block_y, block_z, clock_mhz, temperature_c, power_w, energy_j, throttled, compile_s, run_s,
  started_ms, ended_ms, samples, recorded) WHERE checksum IS NULL;
UPDATE playoffs SET checksum = gktune_checksum(study_id, session_id, held_ms);
UPDATE finalists SET checksum = gktune_checksum(playoff_id, place, trial_id, objective, median_us, low_us, high_us, min_us,
                                                mean_us, deviation_us, metrics, samples) WHERE checksum IS NULL;
UPDATE winners SET checksum = gktune_checksum(study_id, trial_id, finalist_id, session_id, config, median_us);
UPDATE portfolios SET checksum =
  gktune_checksum(kernel, fingerprint, device_id, regime, objective, within, made_ms, body);
UPDATE spaces SET checksum = gktune_checksum(kernel, fingerprint, matching, constraints, default_config);
UPDATE general_configs SET checksum =
  gktune_checksum(kernel, fingerprint, device_id, regime, objective, config, share, problems);

CREATE INDEX trials_failed ON trials (study_id, config, ended_ms) WHERE is_current = 1 AND status <> 'ok';
CREATE INDEX trials_superseded ON trials (study_id, config, ended_ms) WHERE is_current = 0;
)sql";

constexpr std::string_view kSteps[] = {kTables, kAppendOnly, kClaims, kEvidence, kChecksums};

// A table, index or view.
struct SchemaObject {
  std::string type, name, sql;
};

// Everything that the steps make. It is found out once: the steps take longer than most queries.
const std::vector<SchemaObject>& objects_after(std::span<const std::string_view> steps) {
  static std::mutex mutex;
  static std::map<std::pair<const void*, std::size_t>, std::vector<SchemaObject>> by_steps;
  const std::lock_guard lock(mutex);
  const std::pair<const void*, std::size_t> key(steps.data(), steps.size());
  if (const auto known = by_steps.find(key); known != by_steps.end()) return known->second;
  std::vector<SchemaObject> objects;
  sqlite::Database reference = sqlite::Database::in_memory();
  for (auto step : steps) reference.execute(std::string(step));
  sqlite::Statement select(reference,
                           "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'");
  while (select.step()) {
    auto row = select.row();
    SchemaObject& object = objects.emplace_back();
    object.type = row.text(), object.name = row.text(), object.sql = row.text();
  }
  return by_steps.emplace(key, std::move(objects)).first->second;
}

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

void verify_schema(const sqlite::Database& database, std::span<const std::string_view> steps) {
  sqlite::Statement find(database, "SELECT sql FROM sqlite_schema WHERE type = ? AND name = ?");
  for (const SchemaObject& expected : objects_after(steps)) {
    if (!find.bind(expected.type, expected.name).step() || find.row().text() != expected.sql) {
      throw sqlite::Failure("damaged: its " + expected.type + " " + expected.name +
                                " is not that of schema " + std::to_string(steps.size()),
                            sqlite::Failure::kDamagedFile);
    }
  }
  sqlite::Statement trigger(database, "SELECT name FROM sqlite_schema WHERE type = 'trigger'");
  if (trigger.step())
    throw sqlite::Failure("has a trigger, " + trigger.row().text() + ", which gktune never adds",
                          sqlite::Failure::kDamagedFile);
}

std::string misfit(const sqlite::Database& database) {
  sqlite::Statement columns(database, "SELECT name, lower(type), \"notnull\" FROM pragma_table_info(?)");
  sqlite::Statement has_ids(database, "SELECT wr = 0 FROM pragma_table_list WHERE name = ?");
  for (const SummedTable& table : summed::kAll) {
    const std::string name(table.name);
    const bool is_numbered = has_ids.bind(name).step() && has_ids.row().boolean();
    columns.bind(name);
    while (columns.step()) {
      auto row = columns.row();
      const std::string column = row.text(), type = row.text(), kind = "typeof(" + column + ")";
      const bool may_be_null = !row.boolean();
      sqlite::Statement find(database, "SELECT " + kind + (is_numbered ? ", rowid" : "") + " FROM " + name +
                                           " NOT INDEXED WHERE " + kind + " NOT IN ('" + type +
                                           (may_be_null ? "', 'null')" : "')"));
      if (!find.bind().step()) continue;
      auto found = find.row();
      const std::string value = found.text();
      return (is_numbered ? name + " " + found.text() : "a row of " + name) + ": its " + column +
             " is of the kind " + value + ", not " + type;
    }
  }
  return "";
}

std::string newer_schema(std::int64_t version, std::int64_t known) {
  return "has schema " + std::to_string(version) + ", and this version of gktune knows up to " +
         std::to_string(known) + ": it was written by a newer one";
}

}  // namespace gktune

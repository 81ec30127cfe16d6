#include "db/schema.h"

#include <string>
#include <vector>

#include "db/columns.h"
#include "db/rows.h"
#include "db/sql/failure.h"
#include "db/sql/statement.h"
#include "db/sqlite/connection.h"

namespace gktune {
namespace {

constexpr std::string_view kIdentities = R"sql(
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
  problem TEXT NOT NULL CHECK (problem GLOB '{*}'),  -- its names sorted
  regime TEXT NOT NULL CHECK (regime IN ('cold', 'hot')),
  objective TEXT NOT NULL,           -- time, maximize GB/s
  recorded TEXT NOT NULL DEFAULT '', -- JSON: what an imported file says besides
  UNIQUE (kernel, fingerprint, device_id, problem, regime, objective)
) STRICT;
)sql";

constexpr std::string_view kPlayoffs = R"sql(
-- Finds the best trials of a study without reading the trials.
CREATE INDEX trials_by_result ON trials (study_id, status, is_dropped_early, fresh_us IS NULL, objective, ended_ms);
CREATE INDEX trials_by_config ON trials (study_id, config, ended_ms);
CREATE INDEX trials_by_time ON trials (study_id, ended_ms);

-- The finalists of a study, measured in turn.
CREATE TABLE playoffs (
  id INTEGER PRIMARY KEY,
  study_id INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  session_id INTEGER NOT NULL REFERENCES sessions (id),
  held_ms INTEGER NOT NULL,          -- when it ended
  UNIQUE (study_id, session_id, held_ms)
) STRICT;
CREATE INDEX playoffs_by_session ON playoffs (session_id);
)sql";

constexpr std::string_view kOthers = R"sql(
-- The sessions' claims on configurations. Other sessions leave these alone until the lease ends.
CREATE TABLE claims (
  study_id INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,
  config TEXT NOT NULL,              -- as in trials; empty: the playoff
  session_id INTEGER NOT NULL REFERENCES sessions (id) ON DELETE CASCADE,
  expires_ms INTEGER NOT NULL,
  PRIMARY KEY (study_id, config)
) STRICT, WITHOUT ROWID;
CREATE INDEX claims_by_session ON claims (session_id);

-- A few configurations that serve all tuned problems of a kernel, and the tree that chooses among them.
CREATE TABLE portfolios (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  device_id INTEGER NOT NULL REFERENCES devices (id),
  regime TEXT NOT NULL CHECK (regime IN ('cold', 'hot')),
  objective TEXT NOT NULL,
  within REAL NOT NULL,              -- the loss that was allowed on each problem, of 1
  made_ms INTEGER NOT NULL,
  body TEXT NOT NULL CHECK (body GLOB '{*}'),  -- configurations, tree, losses
  UNIQUE (kernel, fingerprint, device_id, regime, objective)
) STRICT;

-- From the space file that was tuned last with this fingerprint.
CREATE TABLE spaces (
  kernel TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  matching TEXT NOT NULL CHECK (matching GLOB '{*}'),  -- how axes match that say so, {"heads": "exact"}
  constraints TEXT NOT NULL CHECK (constraints GLOB '[[]*]'),  -- expressions by their number
  default_config TEXT NOT NULL CHECK (default_config GLOB '{*}'),
  texts TEXT NOT NULL CHECK (texts GLOB '{*}'),  -- values, {"axes": {"T": ["float"]}, "parameters": {}}
  PRIMARY KEY (kernel, fingerprint)
) STRICT, WITHOUT ROWID;

-- How a kernel is launched without its space file: in bundles.
CREATE TABLE definitions (
  kernel TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  device_kind TEXT NOT NULL,
  body TEXT NOT NULL CHECK (body GLOB '{*}'),
  PRIMARY KEY (kernel, fingerprint, device_kind)
) STRICT, WITHOUT ROWID;

-- The compiled code of such a kernel.
CREATE TABLE codes (
  id INTEGER PRIMARY KEY,
  kernel TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  device_kind TEXT NOT NULL,
  architecture TEXT NOT NULL,        -- sm_90, x86-64
  cpu TEXT NOT NULL,                 -- the only one that runs it; empty: any
  variant TEXT NOT NULL,             -- a hash of macros, options and entries
  symbols TEXT NOT NULL CHECK (symbols GLOB '[[]*]'),  -- one per entry
  bytes BLOB NOT NULL,
  FOREIGN KEY (kernel, fingerprint, device_kind) REFERENCES definitions ON DELETE CASCADE
) STRICT;
CREATE INDEX codes_by_kernel ON codes (kernel, fingerprint, device_kind);

-- The latest trial of each configuration of each study.
CREATE VIEW current_trials AS
SELECT t.* FROM trials t
WHERE NOT EXISTS (SELECT 1 FROM trials l WHERE l.study_id = t.study_id AND l.config = t.config
                    AND l.ended_ms >= t.ended_ms AND (l.ended_ms > t.ended_ms OR l.id > t.id));

CREATE VIEW study_view AS
SELECT s.id AS study_id, s.kernel, s.fingerprint, d.kind AS device_kind, d.name AS device, d.architecture,
       d.multiprocessors, s.problem, s.regime, s.objective AS goal,
       (SELECT coalesce(max(t.ended_ms), 0) FROM trials t WHERE t.study_id = s.id) AS updated_ms,
       (SELECT count(*) FROM trials t WHERE t.study_id = s.id) AS trials,
       (SELECT count(*) FROM trials t WHERE t.study_id = s.id AND t.status < 'ok')
         + (SELECT count(*) FROM trials t WHERE t.study_id = s.id AND t.status > 'ok') AS failed
FROM studies s JOIN devices d ON d.id = s.device_id;

-- The winner of the latest playoff of each study, unless it was measured again or a later trial of that host did
-- better.
CREATE VIEW playoff_winner_view AS
SELECT s.id AS study_id, p.id AS playoff_id, f.id AS finalist_id, f.trial_id
FROM studies s
CROSS JOIN playoffs p ON p.id = (SELECT l.id FROM playoffs l JOIN sessions k ON k.id = l.session_id
                                 WHERE l.study_id = s.id ORDER BY l.held_ms DESC, k.uuid DESC LIMIT 1)
CROSS JOIN finalists f ON f.playoff_id = p.id AND f.place = 1
CROSS JOIN trials w ON w.id = f.trial_id
CROSS JOIN sessions c ON c.id = p.session_id
WHERE w.study_id = s.id AND w.status = 'ok'
  AND NOT EXISTS (SELECT 1 FROM trials l WHERE l.study_id = w.study_id AND l.config = w.config
                    AND l.ended_ms >= w.ended_ms AND (l.ended_ms > w.ended_ms OR l.id > w.id))
  AND NOT EXISTS (SELECT 1 FROM trials t JOIN sessions m ON m.id = t.session_id
                  WHERE t.study_id = s.id AND t.status = 'ok' AND t.is_dropped_early = 0
                    AND t.objective < w.objective AND t.ended_ms > p.held_ms AND m.host_name = c.host_name);

-- The winner of each study: of its playoff, else its best trial, by evidence and time. A trial with a fresh
-- execution is better evidence than one without.
CREATE VIEW winner_view AS
SELECT s.id AS study_id,
       (SELECT p.finalist_id FROM playoff_winner_view p WHERE p.study_id = s.id) AS finalist_id,
       coalesce(
         (SELECT p.trial_id FROM playoff_winner_view p WHERE p.study_id = s.id),
         (SELECT t.id FROM current_trials t
          WHERE t.study_id = s.id AND t.status = 'ok' AND t.objective IS NOT NULL
          ORDER BY t.is_dropped_early, t.fresh_us IS NULL, t.objective, t.ended_ms, t.config LIMIT 1)) AS trial_id
FROM studies s;

CREATE VIEW best_view AS
SELECT v.*, t.id AS trial_id, f.id AS finalist_id, t.config,
       CASE WHEN f.id IS NULL THEN t.median_us ELSE f.median_us END AS median_us,
       f.id IS NOT NULL AS from_playoff,
       length(CASE WHEN f.id IS NULL THEN t.samples ELSE f.samples END) / 8 AS samples,
       CASE WHEN f.id IS NULL THEN t.metrics ELSE f.metrics END AS metrics,
       CASE WHEN f.id IS NULL THEN t.objective ELSE f.objective END AS objective
FROM winner_view w
CROSS JOIN study_view v ON v.study_id = w.study_id
CROSS JOIN trials t ON t.id = w.trial_id
LEFT JOIN finalists f ON f.id = w.finalist_id;

CREATE VIEW trial_view AS
SELECT t.id AS trial_id, t.study_id, s.kernel, s.fingerprint, d.name AS device, s.problem, s.regime, t.config,
       t.status, t.median_us, t.objective, t.metrics, t.is_dropped_early, t.registers, t.spill_bytes, t.occupancy,
       t.compile_s, t.run_s, datetime(t.ended_ms / 1000, 'unixepoch') AS ended, t.message, t.number,
       NOT EXISTS (SELECT 1 FROM trials l WHERE l.study_id = t.study_id AND l.config = t.config
                     AND l.ended_ms >= t.ended_ms AND (l.ended_ms > t.ended_ms OR l.id > t.id)) AS is_current,
       c.host_name, c.driver
FROM trials t JOIN studies s ON s.id = t.study_id JOIN devices d ON d.id = s.device_id
JOIN sessions c ON c.id = t.session_id;
)sql";

template <class T>
std::string declarations_of() {
  ColumnDeclarations declarations;
  const T object;
  fields(declarations, object);
  return declarations.sql();
}

std::string measurements_sql() {
  return "\n-- One call of the program on one device.\nCREATE TABLE sessions (\n  id INTEGER PRIMARY KEY,\n" +
         declarations_of<SessionRow>() +
         ",\n  UNIQUE (uuid)\n) STRICT;\n"
         "\n-- Rows are only added. NULL is unknown. The latest row of a configuration is the current one.\n"
         "CREATE TABLE trials (\n"
         "  id INTEGER PRIMARY KEY AUTOINCREMENT,\n"
         "  study_id INTEGER NOT NULL REFERENCES studies (id) ON DELETE CASCADE,\n"
         "  session_id INTEGER NOT NULL REFERENCES sessions (id),\n"
         "  number INTEGER NOT NULL,\n" +
         declarations_of<Trial>() + ",\n  UNIQUE (session_id, number)\n) STRICT;\n";
}

std::string finalists_sql() {
  return "\n-- The trials of a playoff, and what was measured there.\nCREATE TABLE finalists (\n"
         "  id INTEGER PRIMARY KEY,\n"
         "  playoff_id INTEGER NOT NULL REFERENCES playoffs (id) ON DELETE CASCADE,\n"
         "  place INTEGER NOT NULL,\n"
         "  trial_id INTEGER NOT NULL REFERENCES trials (id) ON DELETE CASCADE,\n" +
         declarations_of<FinalistRow>() +
         ",\n  UNIQUE (playoff_id, place)\n) STRICT;\n"
         "CREATE INDEX finalists_by_trial ON finalists (trial_id);\n";
}

std::string queue_sql() {
  return "\n-- Problems that wait for a host.\nCREATE TABLE queue (\n  id INTEGER PRIMARY KEY,\n" +
         declarations_of<QueuedProblem>() + ",\n  UNIQUE (kernel, problem, device)\n) STRICT;\n";
}

// A table, index or view.
struct SchemaObject {
  std::string type, name, sql;
};

// Everything that schema_sql() creates.
const std::vector<SchemaObject>& expected_objects() {
  static const std::vector<SchemaObject> kObjects = [] {
    std::vector<SchemaObject> objects;
    sqlite::Connection reference = sqlite::Connection::in_memory();
    reference.execute(schema_sql());
    sql::Statement select(reference,
                          "SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%'");
    while (select.step()) {
      auto row = select.row();
      SchemaObject& object = objects.emplace_back();
      object.type = row.text(), object.name = row.text(), object.sql = row.text();
    }
    return objects;
  }();
  return kObjects;
}

bool has_schema_in_transaction(sqlite::Connection& connection) {
  const auto id = connection.integer("PRAGMA application_id");
  const auto version = connection.integer("PRAGMA user_version");
  if (id == kApplicationId && version == kSchemaVersion) return true;
  if (id == kApplicationId && version > kSchemaVersion)
    throw sql::Failure("has schema " + std::to_string(version) + ", and this version of gktune knows " +
                       std::to_string(kSchemaVersion) + ": it was written by a newer one");
  if (id == kApplicationId)
    throw sql::Failure("has schema " + std::to_string(version) +
                       " of an older gktune, and this version knows " + std::to_string(kSchemaVersion) +
                       ": tune into a new file");
  if (version != 0 || connection.integer("SELECT count(*) FROM sqlite_schema") != 0)
    throw sql::Failure("a database of another program, not of gktune");
  return false;
}

}  // namespace

const std::string& schema_sql() {
  static const std::string kSql = std::string(kIdentities) + measurements_sql() + std::string(kPlayoffs) +
                                  finalists_sql() + queue_sql() + std::string(kOthers);
  return kSql;
}

bool has_schema(sqlite::Connection& connection) {
  // One state of the file: another program may create the schema meanwhile.
  sql::Transaction transaction(connection, sql::Transaction::Kind::read);
  return has_schema_in_transaction(connection);
}

void create_schema(sqlite::Connection& connection) {
  if (has_schema(connection)) return;
  sql::Transaction transaction(connection, sql::Transaction::Kind::write);
  // Another program may have created it while this one waited.
  if (has_schema_in_transaction(connection)) return;
  connection.execute(schema_sql());
  connection.execute("PRAGMA application_id = " + std::to_string(kApplicationId));
  connection.execute("PRAGMA user_version = " + std::to_string(kSchemaVersion));
  transaction.commit();
}

std::string schema_difference(const sqlite::Connection& connection) {
  sql::Statement find(connection, "SELECT sql FROM sqlite_schema WHERE type = ? AND name = ?");
  for (const SchemaObject& expected : expected_objects()) {
    if (!find.bind(expected.type, expected.name).step() || find.row().text() != expected.sql)
      return "its " + expected.type + " " + expected.name + " is not that of schema " +
             std::to_string(kSchemaVersion);
  }
  sql::Statement trigger(connection, "SELECT name FROM sqlite_schema WHERE type = 'trigger'");
  if (trigger.step()) return "has a trigger, " + trigger.row().text() + ", which gktune never adds";
  return "";
}

}  // namespace gktune

// Removal, definitions, checks and repairs.
#include <algorithm>
#include <set>
#include <span>

#include "db/database.h"
#include "db/database_parts.h"
#include "db/open.h"
#include "db/schema.h"

namespace gktune {
namespace {

// The trials to remove are listed in a table of the connection, so that counting them changes no file.
void begin_removal(Connection& connection) {
  connection.execute("CREATE TEMP TABLE IF NOT EXISTS doomed (id INTEGER PRIMARY KEY)");
  connection.execute("DELETE FROM doomed");
}

// Adds the trials `t` of a study that meet the condition; ?2 is a time.
void doom(const Connection& connection, std::int64_t study, std::int64_t before_ms,
          const std::string& condition) {
  Statement(connection, "INSERT INTO doomed SELECT t.id FROM trials t WHERE t.study_id = ?1 AND " +
                            condition + " ON CONFLICT DO NOTHING")
      .bind(study, before_ms)
      .run();
}

constexpr const char* kDoomedPlayoffs =
    "SELECT p.id FROM playoffs p JOIN finalists f ON f.playoff_id = p.id AND f.place = 1 JOIN doomed d ON "
    "d.id = f.trial_id";
constexpr const char* kDoomedStudies =
    "SELECT s.id FROM studies s WHERE s.id IN (SELECT study_id FROM trials t JOIN doomed d ON d.id = t.id) "
    "AND NOT EXISTS (SELECT 1 FROM trials t WHERE t.study_id = s.id AND t.id NOT IN (SELECT id FROM "
    "doomed))";
// Sessions that have ended, and keep neither a trial nor a playoff.
constexpr const char* kIdleSessions =
    "SELECT id FROM sessions c WHERE ended_ms IS NOT NULL AND NOT EXISTS (SELECT 1 FROM trials t WHERE "
    "t.session_id = c.id AND t.id NOT IN (SELECT id FROM doomed)) AND NOT EXISTS (SELECT 1 FROM playoffs p "
    "WHERE p.session_id = c.id AND p.id NOT IN (";

std::int64_t count(Connection& connection, const std::string& ids) {
  return connection.integer("SELECT count(*) FROM (" + ids + ") AS listed");
}

// A running session numbers its trials from those that it has stored.
void require_no_claims(const Connection& connection) {
  Statement claimed(
      connection,
      "SELECT s.kernel FROM claims c JOIN studies s ON s.id = c.study_id WHERE c.expires_ms > ? AND "
      "EXISTS (SELECT 1 FROM trials t JOIN doomed d ON d.id = t.id WHERE t.study_id = "
      "c.study_id OR t.session_id = c.session_id) LIMIT 1");
  if (claimed.bind(connection.now_ms()).step())
    throw Failure("a program tunes '" + claimed.row().text() + "' now; wait for its end");
}

// Removes the trials that are listed, `empty_studies` among those without trials, and what depends on them.
Removed remove_doomed(Connection& connection, std::span<const std::int64_t> empty_studies, Removal removal) {
  require_no_claims(connection);
  const std::string idle = std::string(kIdleSessions) + kDoomedPlayoffs + "))";
  Removed removed;
  removed.trials = count(connection, "SELECT id FROM doomed");
  removed.playoffs = count(connection, kDoomedPlayoffs);
  removed.studies = count(connection, kDoomedStudies) + std::ssize(empty_studies);
  removed.sessions = count(connection, idle);
  if (removal == Removal::rehearsed) return removed;
  const std::string studies = kDoomedStudies;
  connection.execute("CREATE TEMP TABLE gone (id INTEGER PRIMARY KEY); INSERT INTO gone " + studies);
  connection.execute("DELETE FROM playoffs WHERE id IN (" + std::string(kDoomedPlayoffs) + ")");
  connection.execute("DELETE FROM trials WHERE id IN (SELECT id FROM doomed)");
  for (const std::int64_t study : empty_studies)
    Statement(connection, "INSERT INTO gone VALUES (?) ON CONFLICT DO NOTHING").bind(study).run();
  connection.execute("DELETE FROM studies WHERE id IN (SELECT id FROM gone); DROP TABLE gone");
  connection.execute("DELETE FROM sessions WHERE id IN (" + idle + ")");
  connection.execute(
      "DELETE FROM portfolios WHERE device_id NOT IN (SELECT device_id FROM studies);"
      "DELETE FROM devices WHERE id NOT IN (SELECT device_id FROM studies)");
  return removed;
}

constexpr auto kAnyTime = std::numeric_limits<std::int64_t>::max();

// `list` fills the table of trials to remove and returns the studies without trials that go too.
template <class List>
Removed remove(Connection& connection, Removal removal, List list) {
  Removed removed;
  begin_removal(connection);
  {
    Transaction transaction(connection,
                            removal == Removal::done ? Transaction::Kind::alone : Transaction::Kind::read);
    const std::vector<std::int64_t> empty_studies = list();
    removed = remove_doomed(connection, empty_studies, removal);
    if (removal == Removal::done) transaction.commit();
  }
  if (removal == Removal::done) connection.shrink();
  return removed;
}

// The studies whose kernel was tuned later on their device in another version.
std::set<std::int64_t> outdated_studies(const Connection& connection) {
  Statement select(connection,
                   "WITH versions AS MATERIALIZED (SELECT kernel, device_id, fingerprint, max((SELECT max(ended_ms) "
                   "FROM trials t WHERE t.study_id = s.id)) AS ended_ms FROM studies s GROUP BY 1, 2, 3) SELECT s.id "
                   "FROM studies s JOIN versions v USING (kernel, device_id, fingerprint) WHERE EXISTS (SELECT 1 FROM "
                   "versions o WHERE o.kernel = v.kernel AND o.device_id = v.device_id AND o.ended_ms > v.ended_ms)");
  std::set<std::int64_t> ids;
  for (Row row : select.rows()) ids.insert(row.integer());
  return ids;
}

constexpr const char* kEarlier = "t.ended_ms < ?2";
constexpr const char* kSuperseded =
    "t.ended_ms < ?2 AND t.id NOT IN (SELECT c.id FROM current_trials c WHERE c.study_id = ?1)";
// With the earlier trials of the configuration: one that went well would become the current one.
constexpr const char* kFailed =
    "t.config IN (SELECT c.config FROM current_trials c WHERE c.study_id = ?1 AND c.status <> 'ok' AND c.ended_ms < "
    "?2)";

// Copies rows to another database, each that can be read.
class RowRescue {
 public:
  RowRescue(const Connection& from, Connection& to, const std::string& table, std::int64_t most_rows)
      : from_(from), to_(to), most_rows_(most_rows) {
    Statement names(to, "SELECT name FROM pragma_table_info(?)");
    std::string columns, parameters;
    for (names.bind(table); names.step();) {
      columns += (columns.empty() ? "" : ", ") + names.row().text();
      parameters += parameters.empty() ? "?" : ", ?";
    }
    has_id_ = columns.starts_with("id,");
    select_ = "SELECT " + columns + " FROM " + table;
    insert_.emplace(to, "INSERT OR IGNORE INTO " + table + " (" + columns + ") VALUES (" + parameters + ")");
  }

  // Reads forwards and backwards up to the first damaged pages, then the rows between by their ids.
  std::int64_t run() {
    if (copy(has_id_ ? " ORDER BY id" : "") || !has_id_) return kept_;
    const std::int64_t first = last_id_ + 1;
    copy(" ORDER BY id DESC");
    const std::int64_t end = std::min(last_id_, first + most_rows_);
    for (std::int64_t id = first; id < end; ++id) copy(" WHERE id = " + std::to_string(id));
    return kept_;
  }

 private:
  // False: a damaged page ended it.
  bool copy(const std::string& which) {
    try {
      Statement rows(from_, select_ + which);
      while (rows.step()) {
        last_id_ = rows.row().integer();
        keep(rows);
      }
      return true;
    } catch (const Failure& failure) {
      if (!failure.is(Failure::Cause::damaged_file) && !failure.is(Failure::Cause::interrupted)) throw;
      return false;
    }
  }
  // A row that breaks a rule of the schema, or whose parent is lost, is left out.
  void keep(Statement& rows) {
    try {
      insert_->start().bind_next_row(rows);
      insert_->run();
      kept_ += to_.changes();
    } catch (const Failure& failure) {
      if (!failure.is(Failure::Cause::constraint)) throw;
    }
  }

  const Connection &from_, &to_;
  std::int64_t most_rows_;  // that the file can hold
  bool has_id_ = false;
  std::string select_;
  std::optional<Statement> insert_;
  std::int64_t last_id_ = 0, kept_ = 0;
};

// Calls `copy`, which copies a database to a new file. Removes the new file if `copy` fails.
template <class Copy>
auto copied_to(const std::filesystem::path& target, Copy copy) -> decltype(copy()) {
  std::error_code error;
  if (std::filesystem::exists(target, error)) return Error{target.string() + ": exists; name a new file"};
  auto copied = copy();
  if (!copied) {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(target.string() + suffix, error);
  }
  return copied;
}

}  // namespace

Result<Removed> Database::remove_studies(const std::vector<std::int64_t>& studies, Removal removal) {
  return guarded([&] {
    return remove(*connection_, removal, [&] {
      std::vector<std::int64_t> empty;
      for (const std::int64_t study : studies) {
        doom(*connection_, study, kAnyTime, kEarlier);
        if (summary_of(*connection_, study).trials == 0) empty.push_back(study);
      }
      return empty;
    });
  });
}

Result<Removed> Database::remove_trials(const std::vector<std::int64_t>& trials, Removal removal) {
  return guarded([&] {
    return remove(*connection_, removal, [&] {
      Statement list(*connection_,
                     "INSERT INTO doomed SELECT id FROM trials WHERE id = ? ON CONFLICT DO NOTHING");
      for (const std::int64_t trial : trials) {
        list.bind(trial).run();
        if (connection_->changes() == 0) throw Failure("there is no trial " + std::to_string(trial));
      }
      return std::vector<std::int64_t>();
    });
  });
}

Result<Removed> Database::prune(const std::vector<std::int64_t>& studies, const PruneRules& rules,
                                Removal removal) {
  return guarded([&] {
    return remove(*connection_, removal, [&] {
      const auto outdated = rules.outdated ? outdated_studies(*connection_) : std::set<std::int64_t>();
      for (const std::int64_t study : studies) {
        if (outdated.contains(study))
          doom(*connection_, study, rules.before_unix_ms, kEarlier);
        if (rules.superseded) doom(*connection_, study, rules.before_unix_ms, kSuperseded);
        if (rules.failed) doom(*connection_, study, rules.before_unix_ms, kFailed);
      }
      return std::vector<std::int64_t>();
    });
  });
}

Result<void> Database::finish() {
  return guarded([&] {
    connection_->execute("PRAGMA journal_mode = DELETE");
    file_connection().compact();
  });
}

Result<void> Database::add_definition(const StoredDefinition& definition, const std::vector<StoredCode>& codes) {
  return guarded([&] {
    Transaction transaction(*connection_, Transaction::Kind::write);
    Statement(*connection_, "DELETE FROM definitions WHERE kernel = ? AND fingerprint = ? AND device_kind = ?")
        .bind(definition.kernel, definition.fingerprint, definition.device_kind)
        .run();
    insert_row(*connection_, "definitions", "", definition);
    for (const StoredCode& code : codes) {
      insert_row(*connection_, "codes", "symbols, bytes", code, SortedJson(code.symbols).dump(),
                 sql::Blob{code.bytes});
    }
    transaction.commit();
  });
}

Result<std::vector<StoredDefinition>> Database::definitions() const {
  return guarded([&] {
    Statement select(*connection_, "SELECT " + columns_of<StoredDefinition>() + " FROM definitions");
    std::vector<StoredDefinition> all;
    for (Row row : select.rows()) {
      all.push_back(read_fields<StoredDefinition>(row));
    }
    return all;
  });
}

Result<std::vector<StoredCode>> Database::codes() const {
  return guarded([&] {
    Statement select(*connection_, "SELECT " + columns_of<StoredCode>() + ", symbols, bytes FROM codes ORDER BY id");
    std::vector<StoredCode> all;
    for (Row row : select.rows()) {
      StoredCode& code = all.emplace_back(read_fields<StoredCode>(row));
      const auto symbols = SortedJson::parse(row.view(), nullptr, false);
      if (!symbols.is_array()) throw Failure("the symbols of a code of '" + code.kernel + "' are no JSON array");
      for (const SortedJson& symbol : symbols) {
        if (!symbol.is_string()) throw Failure("a symbol of a code of '" + code.kernel + "' is no text");
        code.symbols.push_back(symbol);
      }
      code.bytes = row.bytes();
    }
    return all;
  });
}

Result<std::vector<std::string>> check_database(const std::filesystem::path& path) {
  return sql::guarded(name_of(path), [&] {
    std::vector<std::string> findings;
    if (is_server(path)) {
      open_source(path);  // the rest is the server's
      return findings;
    }
    sqlite::Connection connection = open_damaged(path, kLockPatience);
    const auto add = [&](const std::string& finding) {
      if (!finding.empty()) findings.push_back(finding);
    };
    add(schema_difference(connection));
    if (findings.empty()) add(connection.quick_check());
    if (!findings.empty()) return findings;
    Statement orphans(connection,
                      "SELECT CASE WHEN rowid IS NULL THEN 'a row' ELSE 'row ' || rowid END || ' of ' || \"table\" "
                      "|| ' refers to a missing row of ' || parent FROM pragma_foreign_key_check");
    while (orphans.step()) add(orphans.row().text());
    return findings;
  });
}

Result<std::map<std::string, std::int64_t>> repair_database(const std::filesystem::path& damaged,
                                                            const std::filesystem::path& repaired) {
  if (is_server(damaged)) return Error{name_of(damaged) + ": is on a server, whose own tools repair it"};
  return copied_to(repaired, [&] {
    return sql::guarded(name_of(damaged), [&] {
      sqlite::Connection from = open_damaged(damaged, kLockPatience);
      sqlite::Connection to = open_for_writing(repaired, kLockPatience);
      Transaction transaction(to, Transaction::Kind::write);
      constexpr std::uintmax_t kLeastRowBytes = 64;
      const auto most_rows = static_cast<std::int64_t>(std::filesystem::file_size(damaged) / kLeastRowBytes);
      std::map<std::string, std::int64_t> kept;
      // Rows come after the rows that they refer to.
      for (const char* table : {"devices", "studies", "sessions", "trials", "playoffs", "finalists",
                                "portfolios", "spaces", "definitions", "codes", "queue"})
        kept[table] = RowRescue(from, to, table, most_rows).run();
      transaction.commit();
      return kept;
    });
  });
}

Result<Merged> slim_database(const std::filesystem::path& source, const std::filesystem::path& slim) {
  return copied_to(slim, [&]() -> Result<Merged> {
    auto database = Database::open(slim, Database::Access::write);
    if (!database) return database.error();
    auto merged = (*database)->merge(source, Copied::winners);
    if (!merged) return merged;
    if (auto finished = (*database)->finish(); !finished) return finished.error();
    return merged;
  });
}

}  // namespace gktune

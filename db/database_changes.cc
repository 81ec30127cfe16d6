// Removal, imports of recordings, merges, checks and repairs.
#include <algorithm>
#include <functional>
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
  connection.execute("DELETE FROM temp.doomed");
}

// Adds the trials `t` of a study that meet the condition; ?2 is a time.
void doom(const Connection& connection, std::int64_t study, std::int64_t before_ms,
          const std::string& condition) {
  Statement(connection,
            "INSERT OR IGNORE INTO temp.doomed SELECT t.id FROM trials t WHERE t.study_id = ?1 AND " +
                condition)
      .bind(study, before_ms)
      .run();
}

constexpr const char* kDoomedPlayoffs =
    "SELECT p.id FROM playoffs p JOIN finalists f ON f.playoff_id = p.id AND f.place = 1 JOIN temp.doomed d ON "
    "d.id = f.trial_id";
constexpr const char* kDoomedStudies =
    "SELECT s.id FROM studies s WHERE s.id IN (SELECT study_id FROM trials t JOIN temp.doomed d ON d.id = t.id) "
    "AND NOT EXISTS (SELECT 1 FROM trials t WHERE t.study_id = s.id AND t.id NOT IN (SELECT id FROM "
    "temp.doomed))";
// Sessions that have ended, and keep neither a trial nor a playoff.
constexpr const char* kIdleSessions =
    "SELECT id FROM sessions c WHERE ended_ms IS NOT NULL AND NOT EXISTS (SELECT 1 FROM trials t WHERE "
    "t.session_id = c.id AND t.id NOT IN (SELECT id FROM temp.doomed)) AND NOT EXISTS (SELECT 1 FROM playoffs p "
    "WHERE p.session_id = c.id AND p.id NOT IN (";

std::int64_t count(Connection& connection, const std::string& ids) {
  return connection.integer("SELECT count(*) FROM (" + ids + ")");
}

// A running session numbers its trials from those that it has stored.
void require_no_claims(const Connection& connection) {
  Statement claimed(connection,
                    "SELECT s.kernel FROM claims c JOIN studies s ON s.id = c.study_id WHERE c.expires_ms > ? AND "
                    "EXISTS (SELECT 1 FROM trials t JOIN temp.doomed d ON d.id = t.id WHERE t.study_id = "
                    "c.study_id OR t.session_id = c.session_id) LIMIT 1");
  if (claimed.bind(now_unix_ms()).step())
    throw Failure("a program tunes '" + claimed.row().text() + "' now; wait for its end");
}

// Removes the trials that are listed, `empty_studies` among those without trials, and what depends on them.
Removed remove_doomed(Connection& connection, std::span<const std::int64_t> empty_studies, Removal removal) {
  require_no_claims(connection);
  const std::string idle = std::string(kIdleSessions) + kDoomedPlayoffs + "))";
  Removed removed;
  removed.trials = count(connection, "SELECT id FROM temp.doomed");
  removed.playoffs = count(connection, kDoomedPlayoffs);
  removed.studies = count(connection, kDoomedStudies) + std::ssize(empty_studies);
  removed.sessions = count(connection, idle);
  if (removal == Removal::rehearsed) return removed;
  const std::string studies = kDoomedStudies;
  connection.execute("CREATE TEMP TABLE gone (id INTEGER PRIMARY KEY); INSERT INTO temp.gone " + studies);
  connection.execute("DELETE FROM playoffs WHERE id IN (" + std::string(kDoomedPlayoffs) + ")");
  connection.execute("DELETE FROM trials WHERE id IN (SELECT id FROM temp.doomed)");
  for (const std::int64_t study : empty_studies)
    Statement(connection, "INSERT OR IGNORE INTO temp.gone VALUES (?)").bind(study).run();
  connection.execute("DELETE FROM studies WHERE id IN (SELECT id FROM temp.gone); DROP TABLE temp.gone");
  connection.execute("DELETE FROM sessions WHERE id IN (" + idle + ")");
  connection.execute(
      "DELETE FROM portfolios WHERE device_id NOT IN (SELECT device_id FROM studies);"
      "DELETE FROM devices WHERE id NOT IN (SELECT device_id FROM studies)");
  return removed;
}

// Gives the space of removed rows back to the file system. Where there is no room for the copy that this
// takes, or another program writes, the file keeps its size: the rows are gone already.
void shrink(Connection& connection) {
  try {
    if (connection.integer("PRAGMA freelist_count") * 4 > connection.integer("PRAGMA page_count"))
      connection.compact();
  } catch (const Failure& failure) {
    if (!failure.is_busy() && !failure.is_out_of_space()) throw;
  }
}

constexpr auto kAnyTime = std::numeric_limits<std::int64_t>::max();

// `list` fills the table of trials to remove and returns the studies without trials that go too.
template <class List>
Removed remove(Connection& connection, Removal removal, List list) {
  Removed removed;
  {
    Transaction transaction(connection, removal == Removal::done ? Transaction::Kind::write
                                                                 : Transaction::Kind::read);
    begin_removal(connection);
    const std::vector<std::int64_t> empty_studies = list();
    removed = remove_doomed(connection, empty_studies, removal);
    if (removal == Removal::done) transaction.commit();
  }
  if (removal == Removal::done) shrink(connection);
  return removed;
}

// Whether another version of the study's kernel was tuned later on its device.
bool is_outdated(const Connection& connection, std::int64_t study) {
  Statement find(connection,
                 "SELECT 1 FROM studies s JOIN studies o ON o.kernel = s.kernel AND o.device_id = s.device_id AND "
                 "o.fingerprint <> s.fingerprint WHERE s.id = ? AND (SELECT max(ended_ms) FROM trials t WHERE "
                 "t.study_id = o.id) > (SELECT max(t.ended_ms) FROM studies v JOIN trials t ON t.study_id = v.id "
                 "WHERE v.kernel = s.kernel AND v.device_id = s.device_id AND v.fingerprint = s.fingerprint) LIMIT 1");
  return find.bind(study).step();
}

constexpr const char* kEarlier = "t.ended_ms < ?2";
constexpr const char* kSuperseded =
    "t.ended_ms < ?2 AND EXISTS (SELECT 1 FROM trials l WHERE l.study_id = t.study_id AND l.config = t.config AND l.ended_ms >= "
    "t.ended_ms AND (l.ended_ms > t.ended_ms OR l.id > t.id))";
// With the earlier trials of the configuration: one that went well would become the current one.
constexpr const char* kFailed =
    "EXISTS (SELECT 1 FROM current_trials c WHERE c.study_id = t.study_id AND c.config = t.config AND c.status <> "
    "'ok' AND c.ended_ms < ?2)";

// The names of a table's columns, with a prefix, but for some.
std::string columns_but(const Connection& connection, const std::string& table, const std::string& prefix,
                        std::initializer_list<std::string_view> left_out) {
  Statement select(connection, "SELECT name FROM pragma_table_info(?)");
  select.bind(table);
  std::string columns;
  while (select.step()) {
    const std::string name = select.row().text();
    if (std::ranges::find(left_out, name) == left_out.end())
      columns += (columns.empty() ? "" : ", ") + prefix + name;
  }
  return columns;
}

std::int64_t added(Connection& connection, const std::string& sql) {
  connection.execute(sql);
  return connection.changes();
}

// Copies the rows that are missing here from the attached database `other`. Rows are known by what identifies
// them in every database: a session by its uuid, a trial by its session and number.
Merged merge_attached(Connection& connection, Copied copied) {
  const bool is_all = copied == Copied::all;
  const std::string these_trials = is_all ? "true" : "t.id IN (SELECT trial_id FROM other.winner_view)";
  const std::string these_playoffs =
      is_all ? "true" : "p.id IN (SELECT playoff_id FROM other.playoff_winner_view)";
  Merged merged;
  const auto columns = [&](const char* table, const char* prefix,
                           std::initializer_list<std::string_view> left_out) {
    return columns_but(connection, table, prefix, left_out);
  };
  const std::string devices = columns("devices", "", {"id"}), sessions = columns("sessions", "", {"id"});
  connection.execute("INSERT INTO main.devices (" + devices + ") SELECT " + devices +
                     " FROM other.devices WHERE true ON CONFLICT DO NOTHING");
  merged.sessions = added(connection, "INSERT INTO main.sessions (" + sessions + ") SELECT " + sessions +
                                          " FROM other.sessions WHERE true ON CONFLICT (uuid) DO NOTHING");
  connection.execute(
      "UPDATE main.sessions SET ended_ms = o.ended_ms FROM other.sessions o WHERE o.uuid = main.sessions.uuid AND "
      "main.sessions.ended_ms IS NULL");
  connection.execute(
      "CREATE TEMP TABLE device_map AS SELECT o.id AS other, m.id AS own FROM other.devices o JOIN main.devices m "
      "USING (kind, name, architecture, multiprocessors);"
      "CREATE TEMP TABLE session_map AS SELECT o.id AS other, m.id AS own FROM other.sessions o JOIN main.sessions "
      "m USING (uuid)");
  const std::string study = columns("studies", "s.", {"id", "device_id"});
  merged.studies =
      added(connection, "INSERT INTO main.studies (device_id, " + columns("studies", "", {"id", "device_id"}) +
                            ") SELECT d.own, " + study +
                            " FROM other.studies s JOIN temp.device_map d ON d.other = s.device_id WHERE EXISTS "
                            "(SELECT 1 FROM other.trials t WHERE t.study_id = s.id AND " +
                            these_trials + ") ON CONFLICT DO NOTHING");
  connection.execute(
      "CREATE TEMP TABLE study_map AS SELECT o.id AS other, m.id AS own FROM other.studies o JOIN temp.device_map d "
      "ON d.other = o.device_id JOIN main.studies m ON m.device_id = d.own AND (m.kernel, m.fingerprint, m.problem, "
      "m.regime, m.objective) = (o.kernel, o.fingerprint, o.problem, o.regime, o.objective)");
  const std::initializer_list<std::string_view> trial_keys = {"id", "study_id", "session_id"};
  merged.trials =
      added(connection, "INSERT INTO main.trials (study_id, session_id, " + columns("trials", "", trial_keys) +
                            ") SELECT s.own, c.own, " + columns("trials", "t.", trial_keys) +
                            " FROM other.trials t JOIN temp.study_map s ON s.other = t.study_id JOIN "
                            "temp.session_map c ON c.other = t.session_id WHERE " +
                            these_trials + " ORDER BY t.id ON CONFLICT (session_id, number) DO NOTHING");
  merged.known_trials = connection.integer("SELECT count(*) FROM other.trials") - merged.trials;
  const auto last_playoff = connection.integer("SELECT coalesce(max(id), 0) FROM main.playoffs");
  merged.playoffs = added(connection,
                          "INSERT INTO main.playoffs (study_id, session_id, held_ms) SELECT s.own, c.own, p.held_ms "
                          "FROM other.playoffs p JOIN temp.study_map s ON s.other = p.study_id JOIN temp.session_map "
                          "c ON c.other = p.session_id WHERE " +
                              these_playoffs + " ON CONFLICT DO NOTHING");
  const std::initializer_list<std::string_view> finalist_keys = {"id", "playoff_id", "trial_id"};
  connection.execute("INSERT INTO main.finalists (playoff_id, trial_id, " +
                     columns("finalists", "", finalist_keys) + ") SELECT m.id, n.id, " +
                     columns("finalists", "f.", finalist_keys) +
                     " FROM other.finalists f JOIN other.playoffs p ON p.id = f.playoff_id JOIN temp.study_map s ON "
                     "s.other = p.study_id JOIN temp.session_map c ON c.other = p.session_id JOIN main.playoffs m ON "
                     "(m.study_id, m.session_id, m.held_ms) = (s.own, c.own, p.held_ms) AND m.id > " +
                     std::to_string(last_playoff) +
                     " JOIN other.trials t ON t.id = f.trial_id JOIN temp.session_map e ON e.other = t.session_id "
                     "JOIN main.trials n ON n.session_id = e.own AND n.number = t.number WHERE " +
                     std::string(is_all ? "true" : "f.place = 1"));
  connection.execute("INSERT INTO main.spaces SELECT * FROM other.spaces WHERE true ON CONFLICT DO NOTHING");
  merged.portfolios =
      added(connection,
            "INSERT INTO main.portfolios (kernel, fingerprint, device_id, regime, objective, within, made_ms, body) "
            "SELECT p.kernel, p.fingerprint, d.own, p.regime, p.objective, p.within, p.made_ms, p.body FROM "
            "other.portfolios p JOIN temp.device_map d ON d.other = p.device_id WHERE true ON CONFLICT (kernel, "
            "fingerprint, device_id, regime, objective) DO UPDATE SET within = excluded.within, made_ms = "
            "excluded.made_ms, body = excluded.body WHERE excluded.made_ms > made_ms");
  if (!is_all) {
    connection.execute(
        "DELETE FROM sessions WHERE id NOT IN (SELECT session_id FROM trials) AND id NOT IN (SELECT session_id FROM "
        "playoffs)");
  }
  connection.execute("DROP TABLE temp.device_map; DROP TABLE temp.session_map; DROP TABLE temp.study_map");
  return merged;
}

// Copies rows to another database, each that can be read.
class RowRescue {
 public:
  RowRescue(const Connection& from, Connection& to, const std::string& table)
      : from_(from), to_(to), columns_(columns_but(to, table, "", {})), select_("SELECT " + columns_ + " FROM " + table) {
    std::string parameters = "?";
    for (const char c : columns_) parameters += c == ',' ? ", ?" : "";
    insert_.emplace(to, "INSERT OR IGNORE INTO " + table + " (" + columns_ + ") VALUES (" + parameters + ")");
  }

  // Reads forwards and backwards up to the first damaged pages, then the rows between by their ids.
  std::int64_t run() {
    if (!columns_.starts_with("id,")) {
      copy(select_, "");
      return kept_;
    }
    if (copy(select_, " ORDER BY id")) return kept_;
    const std::int64_t first = last_id_ + 1;
    copy(select_, " ORDER BY id DESC");
    const std::int64_t end = last_id_;
    for (std::int64_t id = first; id < end; ++id) copy(select_, " WHERE id = " + std::to_string(id));
    return kept_;
  }

 private:
  // False: a damaged page ended it.
  bool copy(const std::string& select, const std::string& which) {
    try {
      Statement rows(from_, select + which);
      while (rows.step()) {
        last_id_ = rows.row().integer();
        keep(rows);
      }
      return true;
    } catch (const Failure& failure) {
      if (!failure.is_damaged_file()) throw;
      return false;
    }
  }
  // A row that breaks a rule of the schema, or whose parent is lost, is left out.
  void keep(const Statement& rows) {
    try {
      insert_->bind_row(rows).run();
      kept_ += to_.changes();
    } catch (const Failure& failure) {
      if (!failure.is_constraint()) throw;
    }
  }

  const Connection &from_, &to_;
  std::string columns_, select_;
  std::optional<Statement> insert_;
  std::int64_t last_id_ = 0, kept_ = 0;
};

}  // namespace

WinnerWatch::WinnerWatch(Connection& connection) : connection_(connection) {
  connection_.execute("CREATE TEMP TABLE winners_before AS SELECT study_id, trial_id, config FROM best_view");
}

std::vector<std::string> WinnerWatch::changes() {
  Statement select(connection_,
                   "SELECT b.study_id, v.kernel, v.device, v.problem, w.config, b.config FROM best_view b JOIN "
                   "study_view v ON v.study_id = b.study_id JOIN temp.winners_before w ON w.study_id = b.study_id "
                   "WHERE w.config <> b.config ORDER BY b.study_id");
  std::vector<std::string> lines;
  while (select.step()) {
    auto row = select.row();
    row.integer();
    const std::string kernel = row.text(), device = row.text();
    const std::string problem = values_from_json(row.view()).str();
    const std::string before = values_from_json(row.view()).str(), now = values_from_json(row.view()).str();
    lines.push_back(kernel + " " + problem + " on " + device + ": " + now + " instead of " + before);
  }
  return lines;
}

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
      Statement list(*connection_, "INSERT OR IGNORE INTO temp.doomed SELECT id FROM trials WHERE id = ?");
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
      for (const std::int64_t study : studies) {
        if (rules.outdated && is_outdated(*connection_, study))
          doom(*connection_, study, rules.before_unix_ms, kEarlier);
        if (rules.superseded) doom(*connection_, study, rules.before_unix_ms, kSuperseded);
        if (rules.failed) doom(*connection_, study, rules.before_unix_ms, kFailed);
      }
      return std::vector<std::int64_t>();
    });
  });
}

Result<Merged> Database::add_recording(const std::string& uuid, const Session& session, const Study& study,
                                       const std::string& recorded, const std::vector<Trial>& trials) {
  return guarded([&] {
    Merged merged;
    Transaction transaction(*connection_, Transaction::Kind::write);
    Statement known(*connection_, "SELECT 1 FROM sessions WHERE uuid = ?");
    if (known.bind(uuid).step()) {
      merged.known_trials = std::ssize(trials);
      return merged;
    }
    WinnerWatch watch(*connection_);
    const auto studies = connection_->integer("SELECT count(*) FROM studies");
    const std::int64_t study_id = add_study(*connection_, study);
    const std::int64_t session_id = add_session(*connection_, uuid, session);
    Statement(*connection_, "UPDATE studies SET recorded = ? WHERE id = ?").bind(recorded, study_id).run();
    for (const Trial& trial : trials) insert_trial(*connection_, study_id, session_id, trial);
    merged.trials = std::ssize(trials);
    Statement(*connection_, "UPDATE sessions SET begun_ms = ?1, ended_ms = ?1 WHERE id = ?2")
        .bind(trials.empty() ? now_unix_ms() : trials.back().ended_unix_ms, session_id)
        .run();
    merged.sessions = 1;
    merged.studies = connection_->integer("SELECT count(*) FROM studies") - studies;
    merged.changed_winners = watch.changes();
    connection_->execute("DROP TABLE temp.winners_before");
    transaction.commit();
    return merged;
  });
}

Result<Merged> Database::merge(const std::filesystem::path& source, Copied copied) {
  std::error_code error;
  if (std::filesystem::equivalent(path_, source, error)) return Error{source.string() + ": is the database itself"};
  // Opening checks that the source is a sound database of gktune.
  const auto checked = sqlite::guarded(source.string(), [&] { open_for_reading(source, kLockPatience); });
  if (!checked) return checked.error();
  return guarded([&] {
    connection_->attach(source, reading_access(source), "other");
    try {
      Merged merged;
      {
        Transaction transaction(*connection_, Transaction::Kind::write);
        WinnerWatch watch(*connection_);
        merged = merge_attached(*connection_, copied);
        merged.changed_winners = watch.changes();
        connection_->execute("DROP TABLE temp.winners_before");
        transaction.commit();
      }
      connection_->execute("DETACH other");
      return merged;
    } catch (const Failure& failure) {
      connection_->execute("DETACH other");
      throw Failure(std::string(failure.what()) + "; nothing of " + source.string() + " was added");
    }
  });
}

Result<void> Database::finish() {
  return guarded([&] {
    connection_->execute("PRAGMA journal_mode = DELETE");
    connection_->compact();
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
                 sqlite::Blob{code.bytes});
    }
    transaction.commit();
  });
}

Result<std::vector<StoredDefinition>> Database::definitions() const {
  return guarded([&] {
    Statement select(*connection_, "SELECT " + columns_of<StoredDefinition>() + " FROM definitions");
    std::vector<StoredDefinition> all;
    while (select.step()) {
      auto row = select.row();
      ColumnReader reader(row);
      fields(reader, all.emplace_back());
    }
    return all;
  });
}

Result<std::vector<StoredCode>> Database::codes() const {
  return guarded([&] {
    Statement select(*connection_, "SELECT " + columns_of<StoredCode>() + ", symbols, bytes FROM codes ORDER BY id");
    std::vector<StoredCode> all;
    while (select.step()) {
      auto row = select.row();
      StoredCode& code = all.emplace_back();
      ColumnReader reader(row);
      fields(reader, code);
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
  return sqlite::guarded(path.string(), [&] {
    Connection connection = open_damaged(path, kLockPatience);
    std::vector<std::string> findings;
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

namespace {

// A copy of a database in a new file, of which no part stays behind if `copy` fails.
template <typename T>
Result<T> copied_to(const std::filesystem::path& target, const std::function<Result<T>()>& copy) {
  std::error_code error;
  if (std::filesystem::exists(target, error)) return Error{target.string() + ": exists; name a new file"};
  Result<T> copied = copy();
  if (!copied) {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(target.string() + suffix, error);
  }
  return copied;
}

}  // namespace

Result<std::map<std::string, std::int64_t>> repair_database(const std::filesystem::path& damaged,
                                                            const std::filesystem::path& repaired) {
  using Kept = std::map<std::string, std::int64_t>;
  const auto copy = [&] {
    Connection from = open_damaged(damaged, kLockPatience);
    Connection to = open_for_writing(repaired, kLockPatience);
    Transaction transaction(to, Transaction::Kind::write);
    Kept kept;
    // Rows come after the rows that they refer to.
    for (const char* table : {"devices", "studies", "sessions", "trials", "playoffs", "finalists", "portfolios",
                              "spaces", "definitions", "codes"})
      kept[table] = RowRescue(from, to, table).run();
    transaction.commit();
    return kept;
  };
  return copied_to<Kept>(repaired, [&]() -> Result<Kept> { return sqlite::guarded(damaged.string(), copy); });
}

Result<Merged> slim_database(const std::filesystem::path& source, const std::filesystem::path& slim) {
  return copied_to<Merged>(slim, [&]() -> Result<Merged> {
    auto database = Database::open(slim, Database::Access::write);
    if (!database) return database.error();
    auto merged = (*database)->merge(source, Copied::winners);
    if (!merged) return merged;
    if (auto finished = (*database)->finish(); !finished) return finished.error();
    return merged;
  });
}

}  // namespace gktune

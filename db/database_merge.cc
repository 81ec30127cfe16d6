// Imports of recordings and merges.
#include <algorithm>

#include "db/database.h"
#include "db/database_parts.h"
#include "db/open.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

struct CopiedTable {
  const char* name;
  const char* of_kernel;  // the condition for the rows of a kernel, which is bound
};

// Rows come after the rows that they refer to.
constexpr CopiedTable kCopied[] = {
    {"devices", "id IN (SELECT device_id FROM studies WHERE kernel = ?)"},
    {"studies", "kernel = ?"},
    {"sessions",
     "id IN (SELECT t.session_id FROM trials t JOIN studies s ON s.id = t.study_id WHERE s.kernel = ?1 "
     "UNION SELECT p.session_id FROM playoffs p JOIN studies s ON s.id = p.study_id WHERE s.kernel = ?1)"},
    {"trials", "study_id IN (SELECT id FROM studies WHERE kernel = ?)"},
    {"playoffs", "study_id IN (SELECT id FROM studies WHERE kernel = ?)"},
    {"finalists",
     "playoff_id IN (SELECT p.id FROM playoffs p JOIN studies s ON s.id = p.study_id WHERE s.kernel = ?)"},
    {"spaces", "kernel = ?"},
    {"portfolios", "kernel = ?"},
};

// Sends several rows at once, because each statement for a server takes a round trip.
void copy_rows(const Connection& from, Connection& to, const CopiedTable& table, const std::string& prefix,
               const std::string& kernel) {
  const std::string source =
      std::string(" FROM ") + table.name + (kernel.empty() ? "" : std::string(" WHERE ") + table.of_kernel);
  Statement count(from, "SELECT count(*)" + source), rows(from, "SELECT *" + source);
  if (!kernel.empty()) count.bind(kernel), rows.bind(kernel);
  count.step();
  auto left = static_cast<std::size_t>(count.row().integer());
  const auto columns = rows.column_names();
  const std::string row = "(" + joined(std::vector<std::string>(columns.size(), "?")) + ")";
  const std::size_t batch = std::max<std::size_t>(1, to.most_parameters() / columns.size());
  const std::string insert = "INSERT INTO " + prefix + table.name + " (" + joined(columns) + ") VALUES ";
  Statement one(to, insert + row), many(to, insert + joined(std::vector<std::string>(batch, row)));
  while (left > 0) {
    Statement& next = left < batch ? one : many;
    next.start();
    for (std::size_t i = left < batch ? 1 : batch; i > 0 && rows.step(); --i, --left)
      next.bind_next_row(rows);
    next.run();
  }
}

// Copies what was measured from one database to tables of another one, of any engine, with the ids of the
// rows. The names of these tables begin with the prefix. A kernel: its rows alone.
void copy_measurements(Connection& from, Connection& to, const std::string& prefix,
                       const std::string& kernel) {
  Transaction snapshot(from, Transaction::Kind::read);
  for (const CopiedTable& table : kCopied) copy_rows(from, to, table, prefix, kernel);
}

void create_staging(Connection& connection, const std::string& prefix) {
  for (const CopiedTable& table : kCopied)
    connection.execute("CREATE TEMP TABLE " + prefix + table.name + " (LIKE gktune." + table.name + ")");
}

void drop_staging(Connection& connection, const std::string& prefix) {
  for (const CopiedTable& table : kCopied) connection.execute("DROP TABLE IF EXISTS " + prefix + table.name);
}

// Copies the rows that are missing here from other tables of the connection, whose names begin with `other`.
// Rows are known by what identifies them in every database: a session by its uuid, a trial by its session and
// number.
class Merger {
 public:
  Merger(Connection& connection, std::string other, Copied copied)
      : connection_(connection),
        other_(std::move(other)),
        is_all_(copied == Copied::all),
        these_trials_(is_all_ ? "true" : "t.id IN (SELECT trial_id FROM " + other_ + "winner_view)") {}

  Merged run() {
    add_sessions();
    add_studies();
    add_trials();
    add_playoffs();
    connection_.execute("INSERT INTO spaces SELECT * FROM " + other_ +
                        "spaces WHERE true ON CONFLICT DO NOTHING");
    add_portfolios();
    if (!is_all_)
      connection_.execute(
          "DELETE FROM sessions WHERE id NOT IN (SELECT session_id FROM trials) "
          "AND id NOT IN (SELECT session_id FROM playoffs)");
    connection_.execute("DROP TABLE device_map; DROP TABLE session_map; DROP TABLE study_map");
    return merged_;
  }

 private:
  std::int64_t added(const std::string& sql) {
    connection_.execute(sql);
    return connection_.changes();
  }

  void add_sessions() {
    const auto devices = columns_of<DeviceIdentity>(), sessions = columns_of<SessionRow>();
    connection_.execute("INSERT INTO devices (" + devices + ") SELECT " + devices + " FROM " + other_ +
                        "devices WHERE true ON CONFLICT DO NOTHING");
    merged_.sessions = added("INSERT INTO sessions (" + sessions + ") SELECT " + sessions + " FROM " +
                             other_ + "sessions WHERE true ON CONFLICT (uuid) DO NOTHING");
    connection_.execute("UPDATE sessions SET ended_ms = o.ended_ms FROM " + other_ +
                        "sessions o WHERE o.uuid = sessions.uuid AND sessions.ended_ms IS NULL;"
                        "CREATE TEMP TABLE device_map AS SELECT o.id AS other, m.id AS own FROM " +
                        other_ + "devices o JOIN devices m USING (" + devices +
                        ");"
                        "CREATE TEMP TABLE session_map AS SELECT o.id AS other, m.id AS own FROM " +
                        other_ + "sessions o JOIN sessions m USING (uuid)");
  }

  void add_studies() {
    merged_.studies = added(
        "INSERT INTO studies (device_id, kernel, fingerprint, problem, regime, objective, recorded) SELECT "
        "d.own, s.kernel, s.fingerprint, s.problem, s.regime, s.objective, s.recorded FROM " +
        other_ + "studies s JOIN device_map d ON d.other = s.device_id WHERE EXISTS (SELECT 1 FROM " +
        other_ + "trials t WHERE t.study_id = s.id AND " + these_trials_ + ") ON CONFLICT DO NOTHING");
    connection_.execute(
        "CREATE TEMP TABLE study_map AS SELECT o.id AS other, m.id AS own FROM " + other_ +
        "studies o JOIN device_map d ON d.other = o.device_id JOIN studies m ON m.device_id = d.own AND "
        "(m.kernel, m.fingerprint, "
        "m.problem, m.regime, m.objective) = (o.kernel, o.fingerprint, o.problem, o.regime, o.objective)");
  }

  void add_trials() {
    merged_.trials =
        added("INSERT INTO trials (study_id, session_id, number, " + columns_of<Trial>() +
              ") SELECT s.own, c.own, t.number, " + columns_of<Trial>("t.") + " FROM " + other_ +
              "trials t JOIN study_map s ON s.other = t.study_id JOIN session_map c ON c.other = "
              "t.session_id WHERE " +
              these_trials_ + " ORDER BY t.id ON CONFLICT (session_id, number) DO NOTHING");
    merged_.known_trials = connection_.integer("SELECT count(*) FROM " + other_ + "trials") - merged_.trials;
  }

  void add_playoffs() {
    const std::string maps =
        " FROM " + other_ +
        "playoffs p JOIN study_map s ON s.other = p.study_id JOIN session_map c ON c.other = p.session_id ";
    const auto last = connection_.integer("SELECT coalesce(max(id), 0) FROM playoffs");
    merged_.playoffs = added(
        "INSERT INTO playoffs (study_id, session_id, held_ms) SELECT s.own, c.own, p.held_ms" + maps +
        "WHERE " + (is_all_ ? "true" : "p.id IN (SELECT playoff_id FROM " + other_ + "playoff_winner_view)") +
        " ON CONFLICT DO NOTHING");
    connection_.execute(
        "INSERT INTO finalists (playoff_id, place, trial_id, " + columns_of<FinalistRow>() +
        ") SELECT m.id, f.place, n.id, " + columns_of<FinalistRow>("f.") + maps +
        "JOIN playoffs m ON (m.study_id, m.session_id, m.held_ms) = (s.own, c.own, p.held_ms) AND m.id > " +
        std::to_string(last) + " JOIN " + other_ + "finalists f ON f.playoff_id = p.id JOIN " + other_ +
        "trials t ON t.id = f.trial_id JOIN session_map e ON e.other = t.session_id JOIN trials n ON "
        "n.session_id = e.own AND n.number = t.number WHERE " +
        (is_all_ ? "true" : "f.place = 1"));
  }

  // Keeps the later one of two portfolios for the same question.
  void add_portfolios() {
    merged_.portfolios = added(
        "INSERT INTO portfolios (kernel, fingerprint, device_id, regime, objective, within, made_ms, body) "
        "SELECT p.kernel, p.fingerprint, d.own, p.regime, p.objective, p.within, p.made_ms, p.body FROM " +
        other_ +
        "portfolios p JOIN device_map d ON d.other = p.device_id WHERE true ON CONFLICT (kernel, "
        "fingerprint, device_id, regime, objective) DO UPDATE SET within = excluded.within, made_ms = "
        "excluded.made_ms, body = excluded.body WHERE excluded.made_ms > portfolios.made_ms");
  }

  Connection& connection_;
  std::string other_;
  bool is_all_;
  std::string these_trials_;  // the condition that a trial `t` is copied
  Merged merged_;
};

// Calls a function at the end of a scope. A failure there has been preceded by another one.
template <class Function>
class Finally {
 public:
  explicit Finally(Function function) : function_(std::move(function)) {}
  Finally(const Finally&) = delete;
  Finally& operator=(const Finally&) = delete;
  ~Finally() {
    try {
      function_();
    } catch (const Failure&) {
    }
  }

 private:
  Function function_;
};

// A file beside a database. The destructor removes it.
class PulledFile {
 public:
  explicit PulledFile(const std::filesystem::path& database)
      : path_(database.string() + ".pulled-" + new_uuid()) {}
  PulledFile(const PulledFile&) = delete;
  PulledFile& operator=(const PulledFile&) = delete;
  ~PulledFile() { remove_database(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Copies the measurements of a database to a new file, with the ids of their rows.
Result<void> pull(const std::filesystem::path& source, const std::filesystem::path& target,
                  const std::string& kernel) {
  return sql::guarded(name_of(source), [&] {
    const auto from = open_source(source);
    sqlite::Connection to = open_for_writing(target, kLockPatience);
    Transaction transaction(to, Transaction::Kind::write);
    copy_measurements(*from, to, "", kernel);
    transaction.commit();
  });
}

// Remembers the winning configuration of each study before a change of the database.
class WinnerWatch {
 public:
  explicit WinnerWatch(Connection& connection) : connection_(connection) {
    connection_.execute(
        "CREATE TEMP TABLE winners_before AS SELECT study_id, trial_id, config FROM best_view");
  }
  // Ends the watch. Returns a line for each study that had a winner and has another one now.
  std::vector<std::string> changes() {
    Statement select(connection_,
                     "SELECT b.kernel, b.device, b.problem, w.config, b.config FROM best_view b JOIN "
                     "winners_before w ON w.study_id = b.study_id "
                     "WHERE w.config <> b.config ORDER BY b.study_id");
    std::vector<std::string> lines;
    for (Row row : select.rows()) {
      const std::string kernel = row.text(), device = row.text();
      const std::string problem = values_from_json(row.view()).str();
      const std::string before = values_from_json(row.view()).str(), now = values_from_json(row.view()).str();
      lines.push_back(kernel + " " + problem + " on " + device + ": " + now + " instead of " + before);
    }
    select.start();  // ends the reading of the table
    connection_.execute("DROP TABLE winners_before");
    return lines;
  }

 private:
  Connection& connection_;
};

}  // namespace

std::unique_ptr<Connection> open_source(const std::filesystem::path& source) {
  if (is_server(source)) return open_server(source, Database::Access::read, kLockPatience);
  return std::make_unique<sqlite::Connection>(open_for_reading(source, kLockPatience));
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
    for (const Trial& trial : trials)
      insert_trial(*connection_, study_id, session_id, ++merged.trials, trial);
    Statement(*connection_, "UPDATE sessions SET begun_ms = ?1, ended_ms = ?1 WHERE id = ?2")
        .bind(trials.empty() ? now_unix_ms() : trials.back().ended_unix_ms, session_id)
        .run();
    merged.sessions = 1;
    merged.studies = connection_->integer("SELECT count(*) FROM studies") - studies;
    merged.changed_winners = watch.changes();
    transaction.commit();
    return merged;
  });
}

Merged Database::merge_tables(const std::string& other, Copied copied) {
  Transaction transaction(*connection_, Transaction::Kind::alone);
  WinnerWatch watch(*connection_);
  Merged merged = Merger(*connection_, other, copied).run();
  merged.changed_winners = watch.changes();
  transaction.commit();
  return merged;
}

Merged Database::merge_file(const std::filesystem::path& source, Copied copied) {
  sqlite::Connection& connection = file_connection();
  connection.attach(source, reading_access(source), "other");
  const Finally detach([&] { connection.execute("DETACH other"); });
  return merge_tables("other.", copied);
}

// By way of tables of this connection.
Merged Database::merge_rows(Connection& source, const std::string& kernel) {
  const std::string prefix = "other_";
  create_staging(*connection_, prefix);
  const Finally drop([&] { drop_staging(*connection_, prefix); });
  copy_measurements(source, *connection_, prefix, kernel);
  return merge_tables(prefix, Copied::all);
}

Result<Merged> Database::merge(const std::filesystem::path& source, Copied copied,
                               const std::string& kernel) {
  std::error_code error;
  if (source == path_ || std::filesystem::equivalent(path_, source, error))
    return Error{name_of(source) + ": is the database itself"};
  const bool is_from_server = is_server(source);
  const bool is_file = dynamic_cast<sqlite::Connection*>(connection_.get()) != nullptr;
  if (is_file && (is_from_server || !kernel.empty())) {
    const PulledFile pulled(path_);
    GKTUNE_TRY(pull(source, pulled.path(), kernel));
    return merge(pulled.path(), copied);
  }
  // Opening checks that the source is a sound database of gktune.
  auto opened = GKTUNE_TRY(sql::guarded(name_of(source), [&] { return open_source(source); }));
  return guarded([&] {
    try {
      return is_file ? merge_file(source, copied) : merge_rows(*opened, kernel);
    } catch (const Failure& failure) {
      if (failure.is(Failure::Cause::disconnected)) throw;
      throw Failure(std::string(failure.what()) + "; nothing of " + name_of(source) + " was added");
    }
  });
}

}  // namespace gktune

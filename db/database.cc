#include "db/database.h"

#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "db/database_parts.h"
#include "db/open.h"
#include "db/schema.h"

namespace gktune {
namespace {

std::string unused_path(const std::filesystem::path& path) {
  const auto first = path.string() + ".recovered";
  auto unused = first;
  std::error_code error;
  for (int i = 2; std::filesystem::exists(unused, error); ++i) unused = first + '-' + std::to_string(i);
  return unused;
}

std::optional<std::pair<std::uint64_t, std::uint64_t>> file_at(const std::filesystem::path& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) return std::nullopt;
  return std::pair<std::uint64_t, std::uint64_t>(status.st_dev, status.st_ino);
}

std::vector<StudySummary> read_studies(const Connection& connection) {
  Statement select(connection,
                   "SELECT " + study_columns("", Counts::ignored) + " FROM study_view ORDER BY study_id");
  std::vector<StudySummary> summaries;
  for (Row row : select.rows()) summaries.push_back(read_summary(row));
  return summaries;
}

std::optional<std::int64_t> find_study(const Connection& connection, const Study& study) {
  Statement find(connection,
                 "SELECT s.id FROM studies s JOIN devices d ON d.id = s.device_id WHERE (s.kernel, s.fingerprint, " +
                     columns_of<DeviceIdentity>("d.") +
                     ", s.problem, s.regime, s.objective) = (?, ?, ?, ?, ?, ?, ?, ?, ?)");
  if (!bind_fields(find, study).step()) return std::nullopt;
  return find.row().integer();
}

std::optional<std::int64_t> find_device(const Connection& connection, const DeviceIdentity& device) {
  Statement find(connection, "SELECT d.id FROM devices d WHERE " + kIsDevice);
  if (!bind_fields(find, device).step()) return std::nullopt;
  return find.row().integer();
}

// Another host may add the same row at the same time.
std::int64_t device_id(const Connection& connection, const DeviceIdentity& device) {
  if (const auto known = find_device(connection, device)) return *known;
  insert_row(connection, {.table = "devices", .behind = " ON CONFLICT DO NOTHING"}, device);
  return find_device(connection, device).value();
}

// Each line is a configuration as JSON.
std::vector<Config> configs_of(const std::string_view lines) {
  std::vector<Config> configs;
  for (std::size_t at = 0, end = 0; at < lines.size(); at = end + 1) {
    end = std::min(lines.find('\n', at), lines.size());
    configs.push_back(values_from_json(lines.substr(at, end - at)));
  }
  return configs;
}

// The latest trial of a configuration, if it is ok.
std::optional<std::int64_t> current_ok_trial(const Connection& connection, std::int64_t study,
                                             const Config& config) {
  Statement find(connection,
                 "SELECT id FROM current_trials WHERE study_id = ? AND config = ? AND status = 'ok'");
  if (!find.bind(study, identity_json(config, "configuration")).step()) return std::nullopt;
  return find.row().integer();
}

}  // namespace

std::string study_columns(const std::string& prefix, Counts counts) {
  std::string columns;
  for (const char* name : {"study_id", "kernel", "fingerprint", "device_kind", "device", "architecture",
                           "multiprocessors", "problem", "regime", "goal", "updated_ms"})
    columns += prefix + name + ", ";
  return columns + (counts == Counts::read ? prefix + "trials, " + prefix + "failed" : "0, 0");
}

StudySummary read_summary(Row& row) {
  StudySummary summary;
  summary.id = row.integer();
  return naming("study " + std::to_string(summary.id), [&] {
    summary.study = read_fields<Study>(row);
    summary.updated_unix_ms = row.integer();
    summary.trials = row.integer();
    summary.failed = row.integer();
    return std::move(summary);
  });
}

StudySummary summary_of(const Connection& connection, std::int64_t study) {
  Statement select(connection,
                   "SELECT " + study_columns("", Counts::ignored) + " FROM study_view WHERE study_id = ?");
  if (!select.bind(study).step()) throw Failure("there is no study " + std::to_string(study));
  auto row = select.row();
  return read_summary(row);
}

const std::string& trial_columns() {
  static const std::string kColumns =
      "t.id, (SELECT c.host_name FROM sessions c WHERE c.id = t.session_id), " + columns_of<Trial>("t.");
  return kColumns;
}

Trial read_trial(Row& row, const Study& study) {
  Trial trial;
  trial.id = row.integer();
  return naming("trial " + std::to_string(trial.id), [&] {
    if (const auto host = row.maybe_view()) trial.host_name = *host;
    ColumnReader reader(row);
    fields(reader, trial);
    trial.problem = study.problem;
    trial.regime = study.regime;
    return std::move(trial);
  });
}

std::vector<Trial> read_trials(Statement& select, const Study& study) {
  std::vector<Trial> trials;
  for (Row row : select.rows()) {
    trials.push_back(read_trial(row, study));
  }
  return trials;
}

void require_sound(Connection& connection) {
  const std::string finding = connection.quick_check();
  if (!finding.empty()) throw Failure("damaged: " + finding, Failure::Cause::damaged_file);
}

void read_finalist(Row& row, Trial& trial) {
  auto finalist = read_fields<FinalistRow>(row);
  trial.objective = finalist.objective;
  trial.timing = finalist.timing;
  trial.metrics = std::move(finalist.metrics);
  trial.samples_us = std::move(finalist.samples_us);
}

std::optional<Playoff> read_playoff(const Connection& connection, std::int64_t study) {
  // Processes that wait for a playoff ask often.
  Statement any(connection, "SELECT 1 FROM playoffs WHERE study_id = ? LIMIT 1");
  if (!any.bind(study).step()) return std::nullopt;
  Statement find(connection,
                 "SELECT p.id, p.held_ms, c.host_name, p.held_ms < (SELECT max(t.ended_ms) FROM trials t "
                 "WHERE t.study_id = p.study_id) FROM playoff_winner_view w JOIN playoffs p ON p.id = "
                 "w.playoff_id JOIN sessions c ON c.id = p.session_id WHERE w.study_id = ?");
  if (!find.bind(study).step()) return std::nullopt;
  auto found = find.row();
  const auto id = found.integer();
  Playoff playoff{.finalists = {}, .held_unix_ms = found.integer()};
  playoff.host_name = found.text();
  playoff.is_outdated = found.boolean();
  const Study identity = summary_of(connection, study).study;
  Statement select(connection, "SELECT " + trial_columns() + ", " + columns_of<FinalistRow>("f.") +
                                   " FROM finalists f JOIN trials t ON t.id = f.trial_id WHERE "
                                   "f.playoff_id = ? ORDER BY f.place");
  for (Row row : select.bind(id).rows()) {
    playoff.finalists.push_back(read_trial(row, identity));
    read_finalist(row, playoff.finalists.back());
  }
  Statement other(
      connection,
      "SELECT c.host_name, t.config FROM playoffs q JOIN sessions c ON c.id = q.session_id JOIN finalists "
      "f ON f.playoff_id = q.id AND f.place = 1 JOIN trials t ON t.id = f.trial_id WHERE q.study_id = ?1 "
      "AND q.id <> ?2 AND c.host_name <> ?3 AND NOT EXISTS (SELECT 1 FROM finalists a JOIN trials x ON "
      "x.id = a.trial_id WHERE a.playoff_id = ?2 AND NOT EXISTS (SELECT 1 FROM finalists b JOIN trials y ON "
      "y.id = b.trial_id WHERE b.playoff_id = q.id AND y.config = x.config)) ORDER BY q.held_ms DESC LIMIT "
      "1");
  if (other.bind(study, id, playoff.host_name).step()) {
    auto row = other.row();
    playoff.other.emplace();
    playoff.other->host_name = row.text();
    playoff.other->winner = values_from_json(row.view());
  }
  return playoff;
}

// The session is known if only the answer of a server was lost.
std::int64_t add_session(const Connection& connection, const std::string& uuid, const Session& session) {
  Statement find(connection, "SELECT id FROM sessions WHERE uuid = ?");
  if (find.bind(uuid).step()) return find.row().integer();
  const DeviceInfo& device = session.device;
  insert_row(
      connection, {"sessions"},
      SessionRow{uuid,
                 {session.tool_version, session.host_name, device.driver, device.runtime, device.compiler},
                 figures_of(device),
                 session.command_line,
                 now_unix_ms()});
  find.bind(uuid).step();
  return find.row().integer();
}

std::int64_t add_study(const Connection& connection, const Study& study) {
  // Another program may have added it meanwhile, or adds it now.
  if (const auto known = find_study(connection, study)) return *known;
  Statement(connection,
            "INSERT INTO studies (kernel, fingerprint, device_id, problem, regime, objective)"
            " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING")
      .bind(study.kernel, study.fingerprint, device_id(connection, study.device),
            identity_json(study.problem, "problem"), regime_name(study.regime), study.objective)
      .run();
  return find_study(connection, study).value();
}

void insert_trial(const Connection& connection, std::int64_t study, std::int64_t session, std::int64_t number,
                  const Trial& trial, const std::string& with) {
  insert_row(connection, {.table = "trials", .keys = "study_id, session_id, number, ", .before = with}, trial,
             study, session, number);
}

Database::Database(std::filesystem::path path, std::unique_ptr<Connection> connection)
    : path_(std::move(path)), file_(file_at(path_)), connection_(std::move(connection)) {}
Database::~Database() = default;

std::string name_of(const std::filesystem::path& path) {
  return is_server(path) ? postgres::shown(path.string()) : path.string();
}

bool is_server(const std::filesystem::path& path) { return postgres::is_uri(path.string()); }

std::unique_ptr<postgres::Connection> open_server(const std::filesystem::path& uri, Database::Access access,
                                                  std::chrono::milliseconds patience) {
  auto connection = std::make_unique<postgres::Connection>(uri.string(), patience);
  if (access == Database::Access::write)
    create_schema(*connection);
  else if (!has_schema(*connection))
    throw Failure("empty: nothing was tuned yet", Failure::Cause::missing);
  return connection;
}

std::unique_ptr<Database> Database::with_connection(std::filesystem::path path,
                                                    sqlite::Connection connection) {
  return std::unique_ptr<Database>(
      new Database(std::move(path), std::make_unique<sqlite::Connection>(std::move(connection))));
}

sqlite::Connection& Database::file_connection() {
  auto* const file = dynamic_cast<sqlite::Connection*>(connection_.get());
  if (file == nullptr) throw Failure("is on a server, and this needs a file; `gktune db pull` makes one");
  return *file;
}

Result<std::unique_ptr<Database>> Database::open(const std::filesystem::path& path, Access access,
                                                 std::chrono::milliseconds patience) {
  return sql::guarded(name_of(path), [&] {
    if (is_server(path))
      return std::unique_ptr<Database>(new Database(path, open_server(path, access, patience)));
    return with_connection(
        path, access == Access::write ? open_for_writing(path, patience) : open_for_reading(path, patience));
  });
}

Result<std::unique_ptr<Database>> Database::in_memory() {
  const std::string name = "(in memory)";
  return sql::guarded(name, [&] {
    sqlite::Connection connection = sqlite::Connection::in_memory();
    create_schema(connection);
    return with_connection(name, std::move(connection));
  });
}

Result<std::unique_ptr<Database>> Database::from_bytes(const std::filesystem::path& name, std::string_view bytes) {
  return sql::guarded(name.string(), [&] { return with_connection(name, open_bytes(bytes)); });
}

bool Database::is_on_server() const { return is_server(path_); }

void Database::require_file() {
  if (file_at(path_) == file_) return;
  const auto copy_path = unused_path(path_);
  sqlite::Connection copy(copy_path, sqlite::Connection::Access::create, std::chrono::seconds(1));
  file_connection().copy_to(copy);
  is_recovered_ = true;
  throw Failure("was removed or replaced while in use; all its trials are in " + copy_path);
}

Result<std::int64_t> Database::begin_session(const Session& session) {
  const std::string uuid = new_uuid();
  return guarded([&] {
    const auto id = add_session(*connection_, uuid, session);
    sessions_[id] = {uuid, session};
    return id;
  });
}

Result<void> Database::end_session(std::int64_t session) {
  return guarded([&] {
    Transaction transaction(*connection_, Transaction::Kind::write);
    Statement(*connection_, "UPDATE sessions SET ended_ms = ? WHERE id = ?").bind(now_unix_ms(), session).run();
    Statement(*connection_, "DELETE FROM claims WHERE session_id = ?").bind(session).run();
    transaction.commit();
    if (!is_recovered_) require_file();
  });
}

Result<std::int64_t> Database::study_id(const Study& study) {
  return guarded([&]() -> std::int64_t {
    auto id = find_study(*connection_, study);
    if (!id) {
      Transaction transaction(*connection_, Transaction::Kind::write);
      id = add_study(*connection_, study);
      transaction.commit();
    }
    studies_[*id] = study;
    return *id;
  });
}

Result<void> Database::remove_study_without_trials(std::int64_t study) {
  return guarded([&] {
    Statement(*connection_,
              "DELETE FROM studies WHERE id = ?1 AND NOT EXISTS (SELECT 1 FROM trials WHERE study_id = ?1) AND NOT "
              "EXISTS (SELECT 1 FROM claims WHERE study_id = ?1)")
        .bind(study)
        .run();
  });
}

Result<void> Database::describe_space(const std::string& kernel, const std::string& fingerprint,
                                      const KernelSpace& space, const TextValues& text_values) {
  return guarded([&] {
    const std::string texts[] = {
        identity_json(space.matching, "matching"), SortedJson(space.constraints).dump(),
        identity_json(space.default_config, "default configuration"),
        SortedJson({{"axes", text_values.axes}, {"parameters", text_values.parameters}}).dump()};
    Statement(*connection_,
              "INSERT INTO spaces (kernel, fingerprint, matching, constraints, default_config, texts) "
              "VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (kernel, fingerprint) DO UPDATE "
              "SET matching = ?3, constraints = ?4, default_config = ?5, texts = ?6 "
              "WHERE (spaces.matching, spaces.constraints, spaces.default_config, spaces.texts) <> (?3, ?4, "
              "?5, ?6)")
        .bind(kernel, fingerprint, texts[0], texts[1], texts[2], texts[3])
        .run();
  });
}

Result<std::vector<StudySummary>> Database::studies(Counts counts) const {
  return guarded([&] {
    auto summaries = counts == Counts::read ? read_counted(*connection_, "true") : read_studies(*connection_);
    if (summaries.empty()) require_sound(*connection_);
    return summaries;
  });
}

Result<std::optional<StudySummary>> Database::study(std::int64_t id) const {
  auto found = GKTUNE_TRY(counted({StudySummary{.id = id}}));
  if (found.empty()) return std::optional<StudySummary>();
  return std::optional(std::move(found.front()));
}

Result<std::vector<StudySummary>> Database::counted(const std::vector<StudySummary>& studies) const {
  return guarded([&] {
    std::vector<StudySummary> all;
    for_ids("v.study_id", studies, [&](const std::string& condition) {
      std::ranges::move(read_counted(*connection_, condition), std::back_inserter(all));
    });
    return all;
  });
}

// A session that another object has begun goes on where it ended.
std::int64_t Database::next_number(std::int64_t session) {
  const auto [known, is_new] = sessions_.try_emplace(session);
  if (is_new) {
    Statement last(*connection_, "SELECT coalesce(max(number), 0) FROM trials WHERE session_id = ?");
    last.bind(session).step();
    known->second.trials = last.row().integer();
  }
  return ++known->second.trials;
}

// Stores a trial, and ends the claim: with one statement where each costs a message to a server.
void Database::store_claimed(std::int64_t study, std::int64_t session, std::int64_t number,
                             const Trial& trial) {
  const std::string end = "DELETE FROM claims WHERE study_id = ?1 AND session_id = ?2 AND config = ";
  if (is_on_server())
    return insert_trial(*connection_, study, session, number, trial, "WITH ended AS (" + end + "?4) ");
  Transaction transaction(*connection_, Transaction::Kind::write);
  Statement(*connection_, end + "?3")
      .bind(study, session, identity_json(trial.config, "configuration"))
      .run();
  insert_trial(*connection_, study, session, number, trial);
  transaction.commit();
}

Result<void> Database::add_trial(std::int64_t study, std::int64_t session, const Trial& trial) {
  return guarded_once([&] {
    const std::int64_t number = next_number(session);
    if (!outage_ || !outage_->is_lost()) {
      try {
        store_claimed(study, session, number, trial);
        return require_file();
      } catch (const Failure& failure) {
        if (!outage_ || !failure.is(Failure::Cause::disconnected)) throw;
        outage_->note(failure);
      }
    }
    const OpenSession& own = sessions_.at(session);
    outage_->journal().add(own.uuid, own.session, studies_.at(study), number, trial);
  });
}

std::int64_t Database::deliver(const std::filesystem::path& journal) {
  sqlite::Connection file = open_for_reading(journal, kLockPatience);
  const std::int64_t trials = merge_rows(file, "").trials;
  connection_->execute(
      "DELETE FROM claims WHERE EXISTS (SELECT 1 FROM trials t WHERE t.study_id = claims.study_id AND "
      "t.config = "
      "claims.config AND t.session_id = claims.session_id)");
  return trials;
}

Result<std::int64_t> Database::bridge_outages(OutageEvents events, const std::filesystem::path& folder) {
  auto outage = std::make_unique<Outage>(
      std::move(events), folder, path_.string(), [this](const TrialJournal& journal) {
        if (journal.trials() > 0)
          deliver(journal.path());
        else
          connection_->integer("SELECT 1");  // fails while the server is away
      });
  std::int64_t delivered = 0;
  GKTUNE_TRY(guarded([&] {
    for (const auto& left : outage->journal().left_behind()) {
      try {
        delivered += deliver(left);
      } catch (const Failure& failure) {
        if (failure.is(Failure::Cause::disconnected)) throw;
        throw Failure("the journal " + left.string() + " of an earlier run: " + failure.what());
      }
      outage->journal().remove(left);
    }
  }));
  outage_ = std::move(outage);
  return delivered;
}

Result<std::vector<Trial>> Database::trials(std::int64_t study) const {
  return reading([&] {
    Statement select(*connection_, "SELECT " + trial_columns() +
                                       " FROM current_trials t WHERE t.study_id = ? ORDER BY t.ended_ms, t.id");
    return read_trials(select.bind(study), summary_of(*connection_, study).study);
  });
}

// Sessions ask often, so that most times there are few trials: one statement reads those that are newer than
// the known ones, and counts the others.
Result<OthersWork> Database::work_of_others(std::int64_t study, std::int64_t session, std::int64_t after_id,
                                            const std::set<std::int64_t>& known) const {
  return guarded([&] {
    const auto opened = studies_.find(study);
    const Study identity = opened != studies_.end() ? opened->second : summary_of(*connection_, study).study;
    const std::string others = " AND +t.study_id = ?1 AND t.session_id <> ?2 ";
    Statement select(
        *connection_,
        "SELECT w.known, w.newest, w.claimed, " + trial_columns() +
            " FROM (SELECT count(*) AS known, (SELECT max(id) FROM trials) AS newest, (SELECT "
            "group_concat(k.config, ?6) FROM claims k WHERE k.study_id = ?1 AND k.session_id <> ?2 AND "
            "k.expires_ms > ?5 AND k.config LIKE '{%') AS claimed FROM trials t WHERE t.id > ?3 AND t.id <= "
            "?4" +
            others + ") w LEFT JOIN trials t ON t.id > ?4" + others + "ORDER BY t.id");
    const auto known_before = std::distance(known.upper_bound(after_id), known.end());
    const auto read_after = [&](std::int64_t id) {
      OthersWork work;
      std::int64_t before = 0;
      for (Row row : select.bind(study, session, after_id, id, connection_->now_ms(), "\n").rows()) {
        before = row.integer();
        work.newest_id = row.maybe_integer().value_or(0);
        const auto claimed = row.maybe_view();
        if (work.claimed.empty() && claimed) work.claimed = configs_of(*claimed);
        if (row.is_null()) break;
        Trial trial = read_trial(row, identity);
        if (!known.contains(trial.id)) work.trials.push_back(std::move(trial));
      }
      return std::pair(before == known_before, std::move(work));
    };
    auto [is_complete, work] = read_after(known.empty() ? after_id : std::max(after_id, *known.rbegin()));
    return is_complete ? std::move(work) : read_after(after_id).second;
  });
}

Result<std::optional<StudiedTrial>> Database::trial(std::int64_t id) const {
  return reading([&]() -> std::optional<StudiedTrial> {
    Statement select(*connection_,
                     "SELECT t.study_id, c.figures, " + columns_of<SessionEnvironment>("c.") + ", " +
                         trial_columns() + " FROM trials t JOIN sessions c ON c.id = t.session_id WHERE t.id = ?");
    if (!select.bind(id).step()) return std::nullopt;
    auto row = select.row();
    StudiedTrial found;
    found.study = summary_of(*connection_, row.integer()).study;
    found.device = device_of(found.study.device);
    set_figures(found.device, values_from_json(row.view()));
    const auto environment = read_fields<SessionEnvironment>(row);
    found.device.driver = environment.driver, found.device.runtime = environment.runtime;
    found.device.compiler = environment.compiler;
    found.host_name = environment.host_name;
    found.trial = read_trial(row, found.study);
    return found;
  });
}

Result<bool> Database::claim_text(std::int64_t study, std::int64_t session, const std::string& text,
                                  std::chrono::milliseconds lease) {
  return guarded([&] {
    const std::int64_t now = connection_->now_ms();
    const bool may_take_over = !outage_ || outage_->is_over_since(lease);
    // The order makes the server search by the configuration in a new table too, whose rows it has not
    // counted yet.
    Statement(
        *connection_,
        "INSERT INTO claims (study_id, config, session_id, expires_ms) SELECT CAST(?1 AS BIGINT), CAST(?2 AS "
        "TEXT), CAST(?3 AS BIGINT), CAST(?4 AS BIGINT) WHERE coalesce((SELECT t.config FROM trials t WHERE "
        "t.study_id = ?1 AND t.config >= ?2 ORDER BY t.config LIMIT 1), 'none') <> ?2 ON CONFLICT (study_id, "
        "config) DO UPDATE SET session_id = ?3, expires_ms = ?4 "
        "WHERE claims.session_id = ?3 OR claims.expires_ms <= ?5")
        .bind(study, text, session, now + lease.count(), may_take_over ? now : 0)
        .run();
    return connection_->changes() > 0;
  });
}

Result<bool> Database::claim(std::int64_t study, std::int64_t session, const std::optional<Config>& config,
                             std::chrono::milliseconds lease) {
  return claim_text(study, session, config ? identity_json(*config, "configuration") : "", lease);
}

Result<bool> Database::claim_reference(std::int64_t study, std::int64_t session, const std::string& host_name,
                                       std::chrono::milliseconds lease) {
  return claim_text(study, session, "reference on " + host_name, lease);
}

// Claims on configurations that have trials by now are of no use: a claim is refused anyway.
Result<void> Database::renew_claims(std::int64_t session, std::chrono::milliseconds lease) {
  return guarded_once([&] {
    Statement(*connection_,
              "DELETE FROM claims WHERE session_id = ? AND EXISTS (SELECT 1 FROM trials t WHERE t.study_id = "
              "claims.study_id AND t.config = claims.config)")
        .bind(session)
        .run();
    Statement(*connection_, "UPDATE claims SET expires_ms = ? WHERE session_id = ?")
        .bind(connection_->now_ms() + lease.count(), session)
        .run();
  });
}

Result<void> Database::release_claims(std::int64_t session) {
  return guarded_once(
      [&] { Statement(*connection_, "DELETE FROM claims WHERE session_id = ?").bind(session).run(); });
}

Result<std::vector<Trial>> Database::reference_trials(std::int64_t study) const {
  return reading([&] {
    Statement select(
        *connection_,
        "SELECT " + trial_columns() +
            " FROM trials t WHERE t.study_id = ?1 AND t.config = (SELECT r.config FROM trials r WHERE "
            "r.study_id = ?1 AND r.status = 'ok' AND r.objective IS NOT NULL ORDER BY r.ended_ms, r.id "
            "LIMIT 1) ORDER BY t.ended_ms, t.id");
    return read_trials(select.bind(study), summary_of(*connection_, study).study);
  });
}

Result<void> Database::add_playoff(std::int64_t study, std::int64_t session, const Playoff& playoff) {
  return guarded([&] {
    Transaction transaction(*connection_, Transaction::Kind::write);
    Statement(*connection_,
              "INSERT INTO playoffs (study_id, session_id, held_ms) VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
        .bind(study, session, playoff.held_unix_ms)
        .run();
    if (connection_->changes() == 0) return;  // only the answer of a server was lost
    Statement find(*connection_, "SELECT id FROM playoffs WHERE (study_id, session_id, held_ms) = (?, ?, ?)");
    find.bind(study, session, playoff.held_unix_ms).step();
    const auto id = find.row().integer();
    std::int64_t place = 0;
    for (const Trial& finalist : playoff.finalists) {
      const auto trial = current_ok_trial(*connection_, study, finalist.config);
      if (!trial)
        throw Failure("study " + std::to_string(study) + " has no successful trial of " +
                      finalist.config.str());
      insert_row(*connection_, {"finalists", "playoff_id, place, trial_id, "},
                 FinalistRow{finalist.objective, finalist.timing, finalist.metrics, finalist.samples_us}, id,
                 ++place, *trial);
    }
    transaction.commit();
    require_file();
  });
}

Result<std::optional<Playoff>> Database::playoff(std::int64_t study) const {
  return reading([&] { return read_playoff(*connection_, study); });
}

}  // namespace gktune

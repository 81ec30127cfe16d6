#include "db/store/sqlite_store.h"

#include <sys/stat.h>

#include <mutex>
#include <random>
#include <utility>

#include "db/answers/device_figures.h"
#include "db/open.h"
#include "db/row_sums.h"
#include "db/schema.h"
#include "db/session_row.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/transaction.h"
#include "db/store/study_identity.h"
#include "db/store/trial_reader.h"
#include "db/store/trial_row.h"
#include "db/store/winner_row.h"
#include "db/study_row.h"
#include "db/values_json.h"

namespace gktune {
namespace {

using sqlite::Database;
using sqlite::Failure;
using sqlite::Statement;
using sqlite::Transaction;

std::int64_t now_unix_ms() {
  auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

// 128 random bits, in hexadecimal.
std::string new_uuid() {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device random;
  std::string uuid;
  for (int i = 0; i < 4; ++i) {
    for (std::uint32_t bits = random(), digit = 0; digit < 8; ++digit, bits >>= 4) uuid += kDigits[bits & 15];
  }
  return uuid;
}

// The studies that a question leaves out.
struct LeftOut {
  std::int64_t count = 0;
  std::string first;

  void add(const Failure& failure) {
    if (count++ == 0) first = failure.what();
  }
};

std::vector<StudySummary> read_summaries(const Database& database, const std::string& condition,
                                         std::int64_t id, LeftOut& left_out) {
  Statement select(database, "SELECT " + study_columns() +
                                 ", (SELECT w.median_us FROM winners w WHERE w.study_id = v.study_id AND " +
                                 is_sound(summed::kWinners, "w.") + ") FROM study_view v " + condition +
                                 " ORDER BY study_id");
  std::vector<StudySummary> summaries;
  select.bind(id);
  while (select.step()) {
    auto row = select.row();
    const auto add = [&] {
      auto read = read_study(row);
      summaries.push_back(
          {read.id, std::move(read.study), read.trials, read.failed, row.maybe_real(), read.updated_ms});
    };
    sqlite::unless_damaged(add, [&](const Failure& failure) { left_out.add(failure); });
  }
  return summaries;
}

// Returns no value if there is no such study. Throws if it is damaged.
std::optional<StudySummary> read_summary(const Database& database, std::int64_t id) {
  LeftOut left_out;
  auto summaries = read_summaries(database, "WHERE study_id = ?", id, left_out);
  if (left_out.count > 0) throw Failure(left_out.first);
  if (summaries.empty()) return std::nullopt;
  return std::move(summaries.front());
}

// The current trial of a configuration, if it is ok.
std::optional<std::int64_t> current_ok_trial(const Database& database, std::int64_t study,
                                             const Config& config) {
  Statement find(
      database,
      "SELECT id FROM trials WHERE study_id = ? AND config = ? AND is_current = 1 AND status = 'ok'");
  if (!find.bind(study, identity_json(config, "configuration")).step()) return std::nullopt;
  return find.row().integer();
}

// The SQL of the ids of a study's current trials. A statement that finds the rows by their ids reads the rows
// themselves; else it would read some of their columns from an index, and a damaged row would look sound to
// one statement and not to another.
std::string current_ids(const std::string& condition = "") {
  return "SELECT id FROM trials INDEXED BY trials_by_config WHERE study_id = ? AND is_current = 1" +
         condition;
}

bool has_claim(const Database& database, std::int64_t study, std::int64_t session,
               const std::string& config) {
  Statement find(database, "SELECT 1 FROM claims WHERE study_id = ? AND config = ? AND session_id = ?");
  return find.bind(study, config, session).step();
}

DeviceInfo device_of(const DeviceIdentity& identity, const SessionEnvironment& environment,
                     const std::string& figures) {
  DeviceInfo device = device_info(identity, values_from_json(figures));
  device.driver = environment.driver;
  device.runtime = environment.runtime;
  device.compiler = environment.compiler;
  return device;
}

// The file that a path names at this moment.
struct FileIdentity {
  dev_t device = 0;
  ino_t inode = 0;
  friend bool operator==(const FileIdentity&, const FileIdentity&) = default;
};

std::optional<FileIdentity> file_at(const std::filesystem::path& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return std::nullopt;
  return FileIdentity{status.st_dev, status.st_ino};
}

// The first of PATH.recovered, PATH.recovered-2, … that does not exist.
std::filesystem::path unused_path(const std::filesystem::path& path) {
  const auto first = path.string() + ".recovered";
  auto unused = first;
  std::error_code error;
  for (int i = 2; std::filesystem::exists(unused, error); ++i) unused = first + '-' + std::to_string(i);
  return unused;
}

class SqliteStore final : public TrialStore {
 public:
  SqliteStore(std::filesystem::path path, Database database, OnDamage on_damage = {})
      : path_(std::move(path)),
        file_(file_at(path_)),
        database_(std::move(database)),
        on_damage_(std::move(on_damage)) {}

  Result<std::int64_t> begin_session(const Session& session) override;
  Result<void> end_session(std::int64_t session) override;
  Result<std::int64_t> study_id(const Study& study) override;
  Result<void> describe_space(const std::string& kernel, const std::string& fingerprint,
                              const KernelSpace& space) override;
  Result<std::vector<StudySummary>> studies() const override;
  Result<std::optional<StudySummary>> study(std::int64_t id) const override;
  Result<void> add_trial(std::int64_t study, std::int64_t session, const Trial& trial) override;
  Result<std::vector<Trial>> trials(std::int64_t study) const override;
  Result<std::optional<StudiedTrial>> trial(std::int64_t id) const override;
  Result<bool> claim(std::int64_t study, std::int64_t session, const std::optional<Config>& config,
                     std::chrono::milliseconds lease) override;
  Result<void> renew_claims(std::int64_t session, std::chrono::milliseconds lease) override;
  Result<void> release_claims(std::int64_t session) override;
  Result<std::vector<Trial>> trials_of_others(std::int64_t study, std::int64_t session,
                                              std::int64_t after_id) const override;
  Result<void> add_playoff(std::int64_t study, std::int64_t session, const Playoff& playoff) override;
  Result<std::optional<Playoff>> playoff(std::int64_t study) const override;
  Result<std::vector<Best>> best(const std::string& kernel) const override;

 private:
  template <class Function>
  auto guarded(Function function) const {
    const std::lock_guard lock(mutex_);
    return sqlite::guarded(path_.string(), std::move(function));
  }
  // Call it after a write: SQLite goes on writing to a file that was removed or moved.
  void require_file();
  void report(const LeftOut& left_out) const;

  std::vector<Trial> read_trials(std::int64_t study, Statement& select) const;

  std::filesystem::path path_;
  std::optional<FileIdentity> file_;  // when it was opened
  bool is_recovered_ = false;         // another file has all trials
  mutable std::mutex mutex_;          // of the connection
  mutable Database database_;         // reading a snapshot begins a transaction
  OnDamage on_damage_;
};

void SqliteStore::report(const LeftOut& left_out) const {
  if (left_out.count == 0 || !on_damage_) return;
  const std::string studies =
      left_out.count == 1 ? "a damaged study is" : std::to_string(left_out.count) + " damaged studies are";
  on_damage_(studies + " left out: " + left_out.first);
}

void SqliteStore::require_file() {
  if (file_at(path_) == file_) return;
  const auto copy_path = unused_path(path_);
  Database copy(copy_path, Database::Access::create, std::chrono::seconds(1));
  database_.copy_to(copy);
  is_recovered_ = true;
  throw Failure("was removed or replaced while in use; all its trials are in " + copy_path.string());
}

Result<std::int64_t> SqliteStore::begin_session(const Session& session) {
  return guarded([&] {
    const DeviceInfo& device = session.device;
    Transaction transaction(database_, Transaction::Kind::write);
    Statement(database_,
              "INSERT INTO sessions (uuid, tool_version, host_name, driver, runtime, compiler, figures,"
              " command_line, begun_ms) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        .bind(new_uuid(), session.tool_version, session.host_name, device.driver, device.runtime,
              device.compiler, figures_of(device).json(), session.command_line, now_unix_ms())
        .run();
    const auto id = database_.last_id();
    Statement(database_, seal(summed::kSessions, "id = ?")).bind(id).run();
    transaction.commit();
    return id;
  });
}

Result<void> SqliteStore::end_session(std::int64_t session) {
  return guarded([&] {
    Transaction transaction(database_, Transaction::Kind::write);
    Statement(database_, change_sound(summed::kSessions, "ended_ms", "?1", "id = ?2"))
        .bind(now_unix_ms(), session)
        .run();
    Statement(database_, "DELETE FROM claims WHERE session_id = ?").bind(session).run();
    refresh_general_configs(
        database_, tuned_versions(database_, "SELECT study_id FROM trials WHERE session_id = ?", session));
    transaction.commit();
    if (!is_recovered_) require_file();
  });
}

Result<std::int64_t> SqliteStore::study_id(const Study& study) {
  return guarded([&]() -> std::int64_t {
    StudyKey key{study.kernel, study.fingerprint, 0, identity_json(study.problem, "problem"),
                 std::string(regime_name(study.regime)), study.objective};
    const auto find = [&]() -> std::optional<std::int64_t> {
      const auto device = find_device(database_, study.device);
      if (!device) return std::nullopt;
      key.device = *device;
      return find_study(database_, key);
    };
    if (const auto id = find()) return *id;
    Transaction transaction(database_, Transaction::Kind::write);
    // Another program may have added it while this one waited.
    auto id = find();
    if (!id) {
      key.device = device_row(database_, study.device);
      id = add_study(database_, key);
    }
    transaction.commit();
    return *id;
  });
}

Result<void> SqliteStore::describe_space(const std::string& kernel, const std::string& fingerprint,
                                         const KernelSpace& space) {
  return guarded([&] {
    NamedValues constraints;
    for (const std::string& text : space.constraints)
      constraints.set(std::to_string(constraints.size()), text);
    const std::string texts[] = {identity_json(space.matching, "matching"),
                                 identity_json(constraints, "constraint"),
                                 identity_json(space.default_config, "default configuration")};
    Transaction transaction(database_, Transaction::Kind::write);
    Statement(database_,
              "INSERT INTO spaces (kernel, fingerprint, matching, constraints, default_config) VALUES (?1, "
              "?2, ?3, ?4, ?5) ON CONFLICT (kernel, fingerprint) DO UPDATE SET matching = ?3, constraints = "
              "?4, default_config = ?5 WHERE matching <> ?3 OR constraints <> ?4 OR default_config <> ?5 OR "
              "NOT " +
                  is_sound(summed::kSpaces))
        .bind(kernel, fingerprint, texts[0], texts[1], texts[2])
        .run();
    if (database_.changes() > 0)
      Statement(database_, seal(summed::kSpaces, "kernel = ? AND fingerprint = ?"))
          .bind(kernel, fingerprint)
          .run();
    transaction.commit();
  });
}

Result<std::vector<StudySummary>> SqliteStore::studies() const {
  return guarded([&] {
    LeftOut left_out;
    auto summaries = read_summaries(database_, "WHERE ?1 = 0", 0, left_out);
    if (summaries.empty()) database_.verify();
    report(left_out);
    return summaries;
  });
}

Result<std::optional<StudySummary>> SqliteStore::study(std::int64_t id) const {
  return guarded([&]() -> std::optional<StudySummary> {
    auto summary = read_summary(database_, id);
    if (!summary) database_.verify();
    return summary;
  });
}

Result<void> SqliteStore::add_trial(std::int64_t study, std::int64_t session, const Trial& trial) {
  return guarded([&] {
    Transaction transaction(database_, Transaction::Kind::write);
    insert_trial(database_, study, session, trial);
    Statement(database_, change_sound(summed::kStudies, "updated_ms", "max(updated_ms, ?1)", "id = ?2"))
        .bind(trial.ended_unix_ms, study)
        .run();
    Statement(database_, "DELETE FROM claims WHERE study_id = ? AND config = ? AND session_id = ?")
        .bind(study, identity_json(trial.config, "configuration"), session)
        .run();
    refresh_winner(database_, study);
    transaction.commit();
    require_file();
  });
}

Result<std::vector<Trial>> SqliteStore::trials(std::int64_t study) const {
  return guarded([&] {
    Transaction snapshot(database_, Transaction::Kind::read);
    Statement select(database_, "SELECT " + kTrialColumns + " FROM trials WHERE id IN (" + current_ids() +
                                    ") ORDER BY ended_ms, id");
    select.bind(study);
    return read_trials(study, select);
  });
}

std::vector<Trial> SqliteStore::read_trials(std::int64_t study, Statement& select) const {
  std::vector<Trial> trials;
  std::optional<StudySummary> summary;
  while (select.step()) {
    if (!summary) {
      summary = read_summary(database_, study);
      if (!summary) return trials;
    }
    auto row = select.row();
    if (!sqlite::unless_damaged([&] { trials.push_back(read_trial(row)); })) continue;
    trials.back().problem = summary->study.problem;
    trials.back().regime = summary->study.regime;
  }
  return trials;
}

Result<std::vector<Trial>> SqliteStore::trials_of_others(std::int64_t study, std::int64_t session,
                                                         std::int64_t after_id) const {
  return guarded([&] {
    Transaction snapshot(database_, Transaction::Kind::read);
    Statement select(database_, "SELECT " + kTrialColumns +
                                    " FROM trials WHERE id > ? AND +study_id = ? AND session_id <> ?"
                                    " AND +is_current = 1 ORDER BY id");
    select.bind(after_id, study, session);
    return read_trials(study, select);
  });
}

Result<bool> SqliteStore::claim(std::int64_t study, std::int64_t session, const std::optional<Config>& config,
                                std::chrono::milliseconds lease) {
  return guarded([&] {
    const std::string key = config ? identity_json(*config, "configuration") : "";
    const std::int64_t now = now_unix_ms();
    Transaction transaction(database_, Transaction::Kind::write);
    // A damaged trial is measured again, also one that has its checksum and cannot be
    // parsed: trials() leaves both out.
    Statement measured(database_, "SELECT " + kTrialColumns + " FROM trials WHERE id IN (" +
                                      current_ids(" AND config = ?") + ")");
    if (config && measured.bind(study, key).step()) {
      auto row = measured.row();
      const auto trial = sqlite::unless_damaged([&] { return read_trial(row); });
      if (trial && trial->config.json() == key) return false;
    }
    Statement(database_,
              "INSERT INTO claims (study_id, config, session_id, expires_ms) VALUES (?1, ?2, ?3, ?4)"
              " ON CONFLICT (study_id, config) DO UPDATE SET session_id = ?3, expires_ms = ?4"
              " WHERE session_id = ?3 OR expires_ms <= ?5")
        .bind(study, key, session, now + lease.count(), now)
        .run();
    const bool is_granted = has_claim(database_, study, session, key);
    transaction.commit();
    return is_granted;
  });
}

Result<void> SqliteStore::renew_claims(std::int64_t session, std::chrono::milliseconds lease) {
  return guarded([&] {
    Statement(database_, "UPDATE claims SET expires_ms = ? WHERE session_id = ?")
        .bind(now_unix_ms() + lease.count(), session)
        .run();
  });
}

Result<void> SqliteStore::release_claims(std::int64_t session) {
  return guarded(
      [&] { Statement(database_, "DELETE FROM claims WHERE session_id = ?").bind(session).run(); });
}

Result<std::optional<StudiedTrial>> SqliteStore::trial(std::int64_t id) const {
  return guarded([&]() -> std::optional<StudiedTrial> {
    Transaction snapshot(database_, Transaction::Kind::read);
    Statement select(database_,
                     "SELECT t.study_id, c.figures, " + kEnvironmentColumns +
                         " FROM trials t JOIN sessions c ON c.id = t.session_id WHERE t.id = ?");
    if (!select.bind(id).step()) {
      database_.verify();
      return std::nullopt;
    }
    auto row = select.row();
    auto summary = read_summary(database_, row.integer());
    if (!summary) throw Failure("damaged: trial " + std::to_string(id) + " has no study");
    StudiedTrial found;
    found.study = std::move(summary->study);
    found.trial = TrialReader(database_).read(id, found.study);
    const auto figures = row.text();
    const auto environment = read_environment(row);
    found.host_name = environment ? environment->host_name : "";
    if (environment && !figures.empty())
      found.device =
          sqlite::unless_damaged([&] { return device_of(found.study.device, *environment, figures); });
    return found;
  });
}

Result<void> SqliteStore::add_playoff(std::int64_t study, std::int64_t session, const Playoff& playoff) {
  return guarded([&] {
    Transaction transaction(database_, Transaction::Kind::write);
    Statement(database_, "INSERT INTO playoffs (study_id, session_id, held_ms) VALUES (?, ?, ?)")
        .bind(study, session, playoff.held_unix_ms)
        .run();
    const auto id = database_.last_id();
    Statement(database_, seal(summed::kPlayoffs, "id = ?")).bind(id).run();
    std::int64_t place = 0;
    for (const Trial& finalist : playoff.finalists) {
      auto trial = current_ok_trial(database_, study, finalist.config);
      if (!trial) {
        throw Failure("study " + std::to_string(study) + " has no successful trial of " +
                      finalist.config.str());
      }
      insert_finalist(database_, id, ++place, *trial, finalist);
    }
    refresh_winner(database_, study);
    transaction.commit();
    require_file();
  });
}

Result<std::optional<Playoff>> SqliteStore::playoff(std::int64_t study) const {
  return guarded([&]() -> std::optional<Playoff> {
    Transaction snapshot(database_, Transaction::Kind::read);
    Statement find(database_,
                   "SELECT p.id, p.held_ms FROM playoff_winner_view w JOIN playoffs p ON p.id = w.playoff_id"
                   " WHERE w.study_id = ?");
    if (!find.bind(study).step()) return std::nullopt;
    auto row = find.row();
    const auto id = row.integer();
    Playoff playoff{.finalists = {}, .held_unix_ms = row.integer()};
    const auto summary = read_summary(database_, study);
    if (!summary) throw Failure("damaged: a playoff has no study");
    TrialReader reader(database_);
    Statement select(database_, "SELECT id, trial_id FROM finalists WHERE playoff_id = ? ORDER BY place");
    select.bind(id);
    while (select.step()) {
      auto each = select.row();
      const auto finalist = each.integer();
      sqlite::unless_damaged([&] {
        playoff.finalists.push_back(reader.read_finalist(each.integer(), finalist, summary->study));
      });
    }
    if (playoff.finalists.empty()) return std::nullopt;
    return playoff;
  });
}

Result<std::vector<Best>> SqliteStore::best(const std::string& kernel) const {
  return guarded([&] {
    Transaction snapshot(database_, Transaction::Kind::read);
    Statement select(database_, "SELECT " + best_columns() +
                                    " FROM best_view WHERE ?1 = '' OR kernel = ?1 ORDER BY kernel, study_id");
    TrialReader reader(database_);
    std::vector<Best> winners;
    LeftOut left_out;
    select.bind(kernel);
    while (select.step()) {
      auto row = select.row();
      sqlite::unless_damaged([&] { winners.push_back(reader.read_best(row)); },
                             [&](const Failure& failure) { left_out.add(failure); });
    }
    if (winners.empty()) database_.verify();
    report(left_out);
    return winners;
  });
}

}  // namespace

Result<std::unique_ptr<TrialStore>> open_sqlite_store(const std::filesystem::path& path, StoreAccess access,
                                                      std::chrono::milliseconds patience,
                                                      OnDamage on_damage) {
  return sqlite::guarded(path.string(), [&]() -> std::unique_ptr<TrialStore> {
    return std::make_unique<SqliteStore>(
        path,
        access == StoreAccess::write ? open_for_writing(path, patience) : open_for_reading(path, patience),
        std::move(on_damage));
  });
}

Result<std::unique_ptr<TrialStore>> open_store_in_memory() {
  const std::string name = "(in memory)";
  return sqlite::guarded(name, [&]() -> std::unique_ptr<TrialStore> {
    Database database = Database::in_memory();
    migrate(database, schema_steps());
    return std::make_unique<SqliteStore>(name, std::move(database));
  });
}

}  // namespace gktune

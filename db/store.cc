#include "db/store.h"

#include <algorithm>
#include <limits>

#include "db/open.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/transaction.h"
#include "db/study_row.h"
#include "db/trial_row.h"

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

double median(Samples samples) {
  if (samples.empty()) return std::numeric_limits<double>::quiet_NaN();
  std::ranges::sort(samples);
  auto middle = samples.size() / 2;
  return samples.size() % 2 == 1 ? samples[middle] : (samples[middle - 1] + samples[middle]) / 2;
}

std::optional<std::int64_t> find_study(const Database& database, const Study& study,
                                       const std::string& problem) {
  const auto& device = study.device;
  Statement find(
      database,
      "SELECT s.id FROM studies s JOIN devices d ON d.id = s.device_id"
      " WHERE s.kernel = ? AND s.fingerprint = ? AND s.problem = ? AND s.regime = ? AND s.objective = ?"
      " AND d.kind = ? AND d.name = ? AND d.architecture = ? AND d.multiprocessors = ?");
  find.bind(study.kernel, study.fingerprint, problem, regime_name(study.regime), study.objective, device.kind,
            device.name, device.architecture, device.multiprocessors);
  if (!find.step()) return std::nullopt;
  return find.row().integer();
}

std::int64_t insert_study(const Database& database, const Study& study, const std::string& problem) {
  const auto& device = study.device;
  Statement(database,
            "INSERT OR IGNORE INTO devices (kind, name, architecture, multiprocessors) VALUES (?, ?, ?, ?)")
      .bind(device.kind, device.name, device.architecture, device.multiprocessors)
      .run();
  Statement(database,
            "INSERT INTO studies (kernel, fingerprint, problem, regime, objective, device_id)"
            " SELECT ?, ?, ?, ?, ?, id FROM devices"
            " WHERE kind = ? AND name = ? AND architecture = ? AND multiprocessors = ?")
      .bind(study.kernel, study.fingerprint, problem, regime_name(study.regime), study.objective, device.kind,
            device.name, device.architecture, device.multiprocessors)
      .run();
  return database.last_id();
}

std::vector<StudySummary> read_summaries(const Database& database, const std::string& condition,
                                         std::int64_t id) {
  Statement select(database, std::string("SELECT ") + kStudyColumns +
                                 ", (SELECT median_us FROM best_view b WHERE b.study_id = v.study_id)"
                                 " FROM study_view v " +
                                 condition + " ORDER BY study_id");
  ValuesReader values(database);
  std::vector<StudySummary> summaries;
  select.bind(id);
  while (select.step()) {
    auto row = select.row();
    auto read = read_study(row, values);
    summaries.push_back(
        {read.id, std::move(read.study), read.trials, read.failed, row.maybe_real(), read.updated_ms});
  }
  return summaries;
}

}  // namespace

struct Store::Body {
  std::string name;
  Database database;

  template <class Function>
  auto guarded(Function function) {
    return sqlite::guarded(name, std::move(function));
  }
};

Store::Store(std::unique_ptr<Body> body) : body_(std::move(body)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Result<Store> Store::open(const std::filesystem::path& path, Mode mode, std::chrono::milliseconds patience) {
  return sqlite::guarded(path.string(), [&] {
    auto database = mode == Mode::write ? open_for_writing(path, patience) : open_for_reading(path, patience);
    return Store(std::unique_ptr<Body>(new Body{path.string(), std::move(database)}));
  });
}

Result<std::int64_t> Store::begin_session(const Session& session) {
  return body_->guarded([&] {
    Statement(
        body_->database,
        "INSERT INTO sessions (tool_version, driver, runtime, compiler, host_name, command_line, begun_ms)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)")
        .bind(session.tool_version, session.driver, session.runtime, session.compiler, session.host_name,
              session.command_line, now_unix_ms())
        .run();
    return body_->database.last_id();
  });
}

Result<void> Store::end_session(std::int64_t session) {
  return body_->guarded([&] {
    Statement(body_->database, "UPDATE sessions SET ended_ms = ? WHERE id = ?")
        .bind(now_unix_ms(), session)
        .run();
  });
}

Result<std::int64_t> Store::study_id(const Study& study) {
  return body_->guarded([&]() -> std::int64_t {
    auto problem = identity_json(study.problem, "problem");
    if (auto id = find_study(body_->database, study, problem)) return *id;
    Transaction transaction(body_->database, Transaction::Kind::write);
    // Another program may have made it while this one waited.
    auto found = find_study(body_->database, study, problem);
    auto id = found ? *found : insert_study(body_->database, study, problem);
    transaction.commit();
    return id;
  });
}

Result<std::vector<Trial>> Store::trials(std::int64_t study) const {
  return body_->guarded([&] {
    Transaction snapshot(body_->database, Transaction::Kind::read);
    std::vector<Trial> trials;
    auto summaries = read_summaries(body_->database, "WHERE study_id = ?", study);
    if (summaries.empty()) return trials;
    Statement select(body_->database,
                     std::string("SELECT ") + kTrialColumns + " FROM trials WHERE study_id = ? ORDER BY id");
    ValuesReader values(body_->database);
    select.bind(study);
    while (select.step()) {
      auto row = select.row();
      trials.push_back(read_trial(row, values));
      trials.back().problem = summaries.front().study.problem;
      trials.back().regime = summaries.front().study.regime;
    }
    return trials;
  });
}

Result<std::optional<StudiedTrial>> Store::trial(std::int64_t id) const {
  return body_->guarded([&]() -> std::optional<StudiedTrial> {
    Transaction snapshot(body_->database, Transaction::Kind::read);
    Statement select(body_->database,
                     std::string("SELECT ") + kTrialColumns + ", study_id FROM trials WHERE id = ?");
    if (!select.bind(id).step()) {
      body_->database.verify();
      return std::nullopt;
    }
    ValuesReader values(body_->database);
    auto row = select.row();
    Trial trial = read_trial(row, values);
    auto summaries = read_summaries(body_->database, "WHERE study_id = ?", row.integer());
    if (summaries.empty()) throw Failure("damaged: trial " + std::to_string(id) + " has no study");
    StudiedTrial found{std::move(summaries.front().study), std::move(trial)};
    found.trial.problem = found.study.problem;
    found.trial.regime = found.study.regime;
    return found;
  });
}

Result<void> Store::add_trial(std::int64_t study, std::int64_t session, const Trial& trial) {
  return body_->guarded([&] {
    Transaction transaction(body_->database, Transaction::Kind::write);
    insert_trial(body_->database, study, session, trial);
    Statement(body_->database, "UPDATE studies SET updated_ms = max(updated_ms, ?) WHERE id = ?")
        .bind(trial.ended_unix_ms, study)
        .run();
    transaction.commit();
  });
}

Result<void> Store::set_best(std::int64_t study, const Config& config, const Samples& playoff) {
  return body_->guarded([&] {
    Transaction transaction(body_->database, Transaction::Kind::write);
    Statement find(body_->database,
                   "SELECT id FROM trials WHERE study_id = ? AND config = ? AND status = 'ok'");
    find.bind(study, identity_json(config, "configuration"));
    if (!find.step())
      throw Failure("no trial of study " + std::to_string(study) + " went well with " + config.str());
    Statement(body_->database,
              "REPLACE INTO best (study_id, trial_id, last_trial_id, median_us, samples)"
              " VALUES (?1, ?2, (SELECT max(id) FROM trials WHERE study_id = ?1), ?3, ?4)")
        .bind(study, find.row().integer(), median(playoff), playoff)
        .run();
    transaction.commit();
  });
}

Result<std::optional<Playoff>> Store::playoff(std::int64_t study) const {
  return body_->guarded([&]() -> std::optional<Playoff> {
    Statement held(body_->database,
                   "SELECT config, best.samples FROM best JOIN trials ON trials.id = trial_id"
                   " WHERE best.study_id = ?1 AND best.median_us IS NOT NULL"
                   " AND last_trial_id = (SELECT max(id) FROM trials WHERE study_id = ?1)");
    held.bind(study);
    if (!held.step()) return std::nullopt;
    auto row = held.row();
    ValuesReader values(body_->database);
    Playoff playoff;
    playoff.config = values.read(row.text());
    playoff.samples = row.reals();
    return playoff;
  });
}

Result<std::vector<StudySummary>> Store::studies() const {
  return body_->guarded([&] {
    auto summaries = read_summaries(body_->database, "WHERE ?1 = 0", 0);
    if (summaries.empty()) body_->database.verify();
    return summaries;
  });
}

Result<std::optional<StudySummary>> Store::study(std::int64_t id) const {
  return body_->guarded([&]() -> std::optional<StudySummary> {
    auto summaries = read_summaries(body_->database, "WHERE study_id = ?", id);
    if (!summaries.empty()) return std::move(summaries.front());
    body_->database.verify();
    return std::nullopt;
  });
}

Result<std::vector<Best>> Store::best(const std::string& kernel) const {
  return body_->guarded([&] {
    Transaction snapshot(body_->database, Transaction::Kind::read);
    Statement select(body_->database, std::string("SELECT ") + kStudyColumns +
                                          ", trial_id, median_us, samples, from_playoff FROM best_view"
                                          " WHERE ?1 = '' OR kernel = ?1 ORDER BY kernel, study_id");
    Statement find(body_->database, std::string("SELECT ") + kTrialColumns + " FROM trials WHERE id = ?");
    ValuesReader values(body_->database);
    std::vector<Best> winners;
    select.bind(kernel);
    while (select.step()) {
      auto row = select.row();
      auto read = read_study(row, values);
      if (!find.bind(row.integer()).step()) throw Failure("damaged: a winner has no trial");
      auto found = find.row();
      Best best{.study = std::move(read.study), .trial = read_trial(found, values)};
      best.trial.problem = best.study.problem;
      best.trial.regime = best.study.regime;
      best.median_us = row.real();
      best.samples = row.integer();
      best.from_playoff = row.boolean();
      best.trials = read.trials;
      best.failed = read.failed;
      best.updated_unix_ms = read.updated_ms;
      winners.push_back(std::move(best));
    }
    if (winners.empty()) body_->database.verify();
    return winners;
  });
}

}  // namespace gktune

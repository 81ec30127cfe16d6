#include "db/store/archive.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "db/open.h"
#include "db/row_sums.h"
#include "db/session_row.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/transaction.h"
#include "db/store/archive_queries.h"
#include "db/store/trial_reader.h"
#include "db/store/trial_row.h"
#include "db/values_json.h"

namespace gktune {

using sqlite::Failure;
using sqlite::Statement;

struct Archive::Connection {
  std::filesystem::path path;
  sqlite::Database database;
};

namespace {

Status known_status(const std::string& name) {
  const auto status = status_from_name(name);
  if (!status) throw Failure("damaged: unknown status \"" + name + '"');
  return *status;
}

std::vector<std::int64_t> ids(Statement& select) {
  std::vector<std::int64_t> all;
  while (select.step()) all.push_back(select.row().integer());
  return all;
}

std::map<std::int64_t, TrialCounts> read_counts(const sqlite::Database& database, std::int64_t study) {
  std::map<std::int64_t, TrialCounts> counts;
  Statement select(database, archive::kCounts);
  select.bind(study);
  while (select.step()) {
    auto row = select.row();
    TrialCounts& of_study = counts[row.integer()];
    const bool is_current = row.boolean();
    const auto status = status_from_name(row.text());
    if (!status) continue;  // `db check` names the study
    const std::int64_t trials = row.integer();
    if (is_current) {
      of_study.current[*status] += trials;
    } else {
      of_study.superseded += trials;
    }
    of_study.compile_s += row.real();
    of_study.run_s += row.real();
  }
  return counts;
}

// The objective is less than 0 where a metric is maximized.
double lead_of(const Trial& first, const Trial& second) {
  const double a = std::abs(first.objective), b = std::abs(second.objective);
  const double ratio = second.objective < 0 ? a / b : b / a;
  return std::isfinite(ratio) ? ratio - 1 : 0;
}

// Tells what has changed in the database since a winner was measured.
class ChangeReader {
 public:
  explicit ChangeReader(const sqlite::Database& database)
      : versions_(database, archive::kVersions), database_(database) {}

  std::vector<std::string> read(const std::string& kernel, const std::string& fingerprint,
                                std::int64_t device, std::int64_t updated_ms,
                                const SessionEnvironment& then) {
    std::vector<std::string> changes;
    if (has_later_version(kernel, fingerprint, device, updated_ms)) changes.emplace_back(kSourceChanged);
    const auto [latest, is_new] = latest_.try_emplace(device);
    if (is_new) latest->second = latest_environment(database_, device);
    if (!latest->second) return changes;
    for (std::string& change : changes_between(then, *latest->second)) changes.push_back(std::move(change));
    return changes;
  }

 private:
  bool has_later_version(const std::string& kernel, const std::string& fingerprint, std::int64_t device,
                         std::int64_t updated_ms) {
    const auto [known, is_new] = versions_of_.try_emplace({kernel, device});
    if (is_new) {
      versions_.bind(kernel, device);
      while (versions_.step()) {
        auto row = versions_.row();
        std::string version = row.text();
        known->second.emplace_back(std::move(version), row.integer());
      }
    }
    return std::ranges::any_of(known->second, [&](const auto& version) {
      return version.first != fingerprint && version.second > updated_ms;
    });
  }

  Statement versions_;
  const sqlite::Database& database_;
  std::map<std::pair<std::string, std::int64_t>, std::vector<std::pair<std::string, std::int64_t>>>
      versions_of_;
  std::map<std::int64_t, std::optional<SessionEnvironment>> latest_;  // by device
};

// Enough to find the second behind a few damaged rows.
constexpr int kFewWithDamage = 20;

// Reads the evidence for many winners with the same statements.
class EvidenceReader {
 public:
  explicit EvidenceReader(const sqlite::Database& database)
      : trials_(database),
        finalist_(
            database,
            "SELECT s.trial_id, s.id FROM winners w JOIN finalists f ON f.id = w.finalist_id JOIN finalists "
            "s ON s.playoff_id = f.playoff_id AND s.place > f.place WHERE w.study_id = ? ORDER BY s.place"),
        ranked_(database, archive::kRanked),
        winner_session_(database, archive::kWinnerSession),
        device_(database, "SELECT device_id FROM studies WHERE id = ?"),
        changes_(database) {}

  Evidence read(const Best& winner) {
    Evidence evidence;
    evidence.second = winner.from_playoff ? second_finalist(winner) : second_of_search(winner);
    if (evidence.second) {
      evidence.lead = lead_of(winner.trial, *evidence.second);
      evidence.is_lead_clear = winner.trial.timing.high_us < evidence.second->timing.low_us;
    }
    if (winner_session_.bind(winner.study_id).step()) {
      auto row = winner_session_.row();
      evidence.environment = read_environment(row).value_or(SessionEnvironment());
      evidence.measured_unix_ms = row.integer();
    }
    if (!device_.bind(winner.study_id).step()) return evidence;
    const std::int64_t device = device_.row().integer();
    evidence.changes = changes_.read(winner.study.kernel, winner.study.fingerprint, device,
                                     winner.updated_unix_ms, evidence.environment);
    return evidence;
  }

 private:
  // The first sound finalist behind the winner of the deciding playoff.
  std::optional<Trial> second_finalist(const Best& winner) {
    finalist_.bind(winner.study_id);
    while (finalist_.step()) {
      auto row = finalist_.row();
      const auto trial = row.integer(), finalist = row.integer();
      auto second =
          sqlite::unless_damaged([&] { return trials_.read_finalist(trial, finalist, winner.study); });
      if (second) return second;
    }
    return std::nullopt;
  }

  std::optional<Trial> second_of_search(const Best& winner) {
    ranked_.bind(winner.study_id, 0, std::numeric_limits<std::int64_t>::max(), kFewWithDamage);
    for (const std::int64_t id : ids(ranked_)) {
      if (id == winner.trial.id) continue;
      if (auto second = sqlite::unless_damaged([&] { return trials_.read(id, winner.study); })) return second;
    }
    return std::nullopt;
  }

  TrialReader trials_;
  Statement finalist_, ranked_, winner_session_, device_;
  ChangeReader changes_;
};

}  // namespace

Archive::Archive(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Archive::Archive(Archive&&) noexcept = default;
Archive& Archive::operator=(Archive&&) noexcept = default;
Archive::~Archive() = default;

Result<Archive> Archive::open(const std::filesystem::path& path) {
  return sqlite::guarded(path.string(), [&] {
    return Archive(std::unique_ptr<Connection>(new Connection{path, open_for_reading(path, kLockPatience)}));
  });
}

Result<Ranked> Archive::ranked(const StudySummary& study, const RankedQuery& query) const {
  return sqlite::guarded(connection_->path.string(), [&] {
    sqlite::Transaction snapshot(connection_->database, sqlite::Transaction::Kind::read);
    Statement select(connection_->database, query.failure ? archive::kFailed : archive::kRanked);
    if (query.failure) {
      select.bind(study.id, query.since_unix_ms, query.before_unix_ms, query.limit,
                  status_name(*query.failure));
    } else {
      select.bind(study.id, query.since_unix_ms, query.before_unix_ms, query.limit);
    }
    TrialReader reader(connection_->database);
    Ranked found;
    for (const std::int64_t id : ids(select)) {
      sqlite::unless_damaged([&] { found.trials.push_back(reader.read(id, study.study)); },
                             [&](const Failure&) { ++found.damaged; });
    }
    return found;
  });
}

Result<std::map<std::int64_t, TrialCounts>> Archive::counts() const {
  return sqlite::guarded(connection_->path.string(), [&] { return read_counts(connection_->database, 0); });
}

Result<TrialCounts> Archive::counts(std::int64_t study) const {
  return sqlite::guarded(connection_->path.string(), [&] {
    auto counts = read_counts(connection_->database, study);
    return counts.empty() ? TrialCounts() : counts.begin()->second;
  });
}

Result<std::optional<Best>> Archive::winner(std::int64_t study) const {
  return sqlite::guarded(connection_->path.string(), [&]() -> std::optional<Best> {
    const sqlite::Database& database = connection_->database;
    sqlite::Transaction snapshot(connection_->database, sqlite::Transaction::Kind::read);
    Statement select(database, "SELECT " + best_columns() + " FROM best_view WHERE study_id = ?");
    if (!select.bind(study).step()) return std::nullopt;
    auto row = select.row();
    return sqlite::unless_damaged([&] { return TrialReader(database).read_best(row); });
  });
}

Result<std::vector<Evidence>> Archive::evidence(std::span<const Best> winners) const {
  return sqlite::guarded(connection_->path.string(), [&] {
    sqlite::Transaction snapshot(connection_->database, sqlite::Transaction::Kind::read);
    EvidenceReader reader(connection_->database);
    std::vector<Evidence> all;
    for (const Best& winner : winners) all.push_back(reader.read(winner));
    return all;
  });
}

Result<std::map<std::int64_t, std::vector<std::string>>> Archive::changes() const {
  return sqlite::guarded(connection_->path.string(), [&] {
    const sqlite::Database& database = connection_->database;
    sqlite::Transaction snapshot(connection_->database, sqlite::Transaction::Kind::read);
    std::map<std::int64_t, SessionEnvironment> sessions;
    Statement read_sessions(database, "SELECT c.id, " + kEnvironmentColumns + " FROM sessions c");
    while (read_sessions.step()) {
      auto row = read_sessions.row();
      const auto id = row.integer();
      sessions[id] = read_environment(row).value_or(SessionEnvironment());
    }
    ChangeReader reader(database);
    std::map<std::int64_t, std::vector<std::string>> all;
    Statement winners(database, archive::kWinnerSessions);
    while (winners.step()) {
      auto row = winners.row();
      const auto study = row.integer();
      const auto kernel = row.text(), fingerprint = row.text();
      const auto device = row.integer(), updated_ms = row.integer();
      auto changes = reader.read(kernel, fingerprint, device, updated_ms, sessions[row.integer()]);
      if (!changes.empty()) all[study] = std::move(changes);
    }
    return all;
  });
}

Result<Evidence> Archive::evidence(const Best& winner) const {
  auto all = evidence(std::span(&winner, 1));
  if (!all) return all.error();
  return std::move(all->front());
}

Result<CommonConfigs> Archive::common(std::int64_t first, std::int64_t second) const {
  return sqlite::guarded(connection_->path.string(), [&] {
    sqlite::Transaction snapshot(connection_->database, sqlite::Transaction::Kind::read);
    Statement select(connection_->database, archive::kCommon);
    Statement sound(connection_->database,
                    "SELECT count(*) FROM trials WHERE id IN (?, ?) AND " + kTrialIsSound);
    CommonConfigs all;
    const auto read = [&](sqlite::Row row) {
      CommonConfig each;
      each.first_id = row.integer();
      each.first_status = known_status(row.text());
      each.first_objective = row.real();
      each.first_us = row.real();
      each.second_id = row.integer();
      each.second_status = known_status(row.text());
      each.second_objective = row.real();
      each.second_us = row.real();
      each.config = values_from_json(row.view());
      sound.bind(each.first_id, each.second_id).step();
      const int rows = each.first_id == each.second_id ? 1 : 2;  // a study may be compared with itself
      if (sound.row().integer() != rows) throw Failure("damaged: a checksum differs");
      return each;
    };
    select.bind(first, second);
    while (select.step()) {
      sqlite::unless_damaged([&] { all.configs.push_back(read(select.row())); },
                             [&](const Failure&) { ++all.damaged; });
    }
    return all;
  });
}

Result<RecordedTexts> Archive::recorded(std::int64_t study) const {
  return sqlite::guarded(connection_->path.string(), [&] {
    RecordedTexts texts;
    Statement of_study(connection_->database,
                       "SELECT recorded FROM studies WHERE id = ? AND " + is_sound(summed::kStudies));
    if (of_study.bind(study).step()) texts.study = of_study.row().text();
    Statement of_trials(connection_->database,
                        "SELECT id, recorded FROM trials WHERE study_id = ? AND is_current = 1 AND recorded "
                        "IS NOT NULL AND " +
                            kTrialIsSound);
    of_trials.bind(study);
    while (of_trials.step()) {
      auto row = of_trials.row();
      const auto id = row.integer();
      texts.trials[id] = row.text();
    }
    return texts;
  });
}

Result<DatabaseTotals> Archive::totals() const {
  return sqlite::guarded(connection_->path.string(), [&] {
    sqlite::Database& database = connection_->database;
    Statement select(database, archive::kTotals);
    select.bind().step();
    auto row = select.row();
    DatabaseTotals totals;
    for (auto* count : {&totals.devices, &totals.kernels, &totals.studies, &totals.sessions, &totals.playoffs,
                        &totals.portfolios}) {
      *count = row.integer();
    }
    totals.first_unix_ms = row.maybe_integer();
    totals.last_unix_ms = row.maybe_integer();
    const auto page = database.integer("PRAGMA page_size");
    totals.bytes = page * database.integer("PRAGMA page_count");
    totals.free_bytes = page * database.integer("PRAGMA freelist_count");
    totals.schema = database.integer("PRAGMA user_version");
    return totals;
  });
}

Result<QueryRows> Archive::query(const std::string& sql) const {
  return sqlite::guarded(connection_->path.string(), [&] {
    Statement select(connection_->database, sql);
    if (select.is_empty()) throw Failure("there is no statement to run");
    if (select.has_more()) throw Failure("give one statement at a time");
    if (!select.only_reads()) throw Failure("only statements that read are allowed");
    QueryRows result{select.column_names(), {}};
    while (select.step()) {
      auto row = select.row();
      auto& cells = result.rows.emplace_back();
      for (std::size_t i = 0; i < result.columns.size(); ++i) cells.push_back(row.maybe_value());
    }
    return result;
  });
}

}  // namespace gktune

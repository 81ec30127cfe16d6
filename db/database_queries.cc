#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "db/database.h"
#include "db/database_parts.h"

namespace gktune {
namespace {

// The studies `v` with the trials of their winners, finalists, playoffs, and the sessions `c` that decided.
// NULL: a study has no winner. Looks once for the winner of a playoff, and for the best trial only where
// there is none.
constexpr std::string_view kFromStudies =
    " FROM study_view v LEFT JOIN finalists f ON f.id = (SELECT o.finalist_id FROM playoff_winner_view o "
    "WHERE o.study_id "
    "= v.study_id) LEFT JOIN trials t ON t.id = coalesce(f.trial_id, (SELECT w.trial_id FROM winner_view w "
    "WHERE "
    "w.study_id = v.study_id)) LEFT JOIN playoffs p ON p.id = f.playoff_id LEFT JOIN sessions c ON c.id = "
    "coalesce(p.session_id, t.session_id) ";

// Tells what has changed in the database since a winner was measured.
class ChangeReader {
 public:
  explicit ChangeReader(const Connection& connection)
      : select_versions_(connection,
                         "SELECT s.fingerprint, max((SELECT max(ended_ms) FROM trials t WHERE t.study_id = s.id)) "
                         "FROM studies s JOIN devices d ON d.id = s.device_id WHERE s.kernel = ? AND " +
                             kIsDevice + " GROUP BY s.fingerprint"),
        select_sessions_(connection, "SELECT " + columns_of<SessionEnvironment>("c.") +
                                         " FROM sessions c WHERE (SELECT s.device_id FROM trials t JOIN studies s ON "
                                         "s.id = t.study_id WHERE t.session_id = c.id LIMIT 1) = (SELECT d.id FROM "
                                         "devices d WHERE " +
                                         kIsDevice + ") ORDER BY c.begun_ms DESC, c.id DESC") {}

  // Since the winner of a study was measured in this environment.
  std::vector<std::string> changes_since(const Study& study, std::int64_t updated_unix_ms,
                                         const SessionEnvironment& environment) {
    std::vector<std::string> changes;
    if (std::ranges::any_of(versions(study.kernel, study.device), [&](const auto& version) {
          return version.first != study.fingerprint && version.second > updated_unix_ms;
        }))
      changes.emplace_back(kSourceChanged);
    if (const auto& now = latest(study.device)) {
      for (std::string& change : changes_between(environment, *now)) changes.push_back(std::move(change));
    }
    return changes;
  }

  // The latest session of each host stands for the host, and of several hosts the one with the newest driver,
  // then CUDA version, counts. Without a value if the device has no session.
  const std::optional<SessionEnvironment>& latest(const DeviceIdentity& device) {
    const auto [known, is_new] = latest_.try_emplace(device);
    if (!is_new) return known->second;
    const auto version_of = [](const SessionEnvironment& each) {
      return EnvironmentVersion(each.driver, each.runtime);
    };
    std::set<std::string> hosts;
    auto& newest = known->second;
    bind_fields(select_sessions_.start(), device);
    for (Row row : select_sessions_.rows()) {
      auto environment = read_fields<SessionEnvironment>(row);
      if (!hosts.insert(environment.host_name).second) continue;
      if (!newest || version_of(*newest) < version_of(environment)) newest = std::move(environment);
    }
    return newest;
  }

 private:
  // The fingerprint of each version of a kernel on a device, and when its latest trial ended.
  using Versions = std::vector<std::pair<std::string, std::int64_t>>;

  const Versions& versions(const std::string& kernel, const DeviceIdentity& device) {
    const auto [known, is_new] = versions_.try_emplace({kernel, device});
    if (!is_new) return known->second;
    bind_fields(select_versions_.bind(kernel), device);
    for (Row row : select_versions_.rows()) {
      const std::string fingerprint = row.text();
      known->second.emplace_back(fingerprint, row.maybe_integer().value_or(0));
    }
    return known->second;
  }

  Statement select_versions_, select_sessions_;
  std::map<std::pair<std::string, DeviceIdentity>, Versions> versions_;
  std::map<DeviceIdentity, std::optional<SessionEnvironment>> latest_;
};

// The winners of the studies that meet the condition, by kernel and study.
std::vector<Winner> read_winners(const Connection& connection, Counts counts, ChangeReader& changes,
                                 const std::string& condition, auto... values) {
  Statement select(connection,
                   "SELECT " + study_columns("v.", counts) + ", coalesce(p.held_ms, t.ended_ms), f.id, " +
                       columns_of<SessionEnvironment>("c.") + ", " + trial_columns() + ", " +
                       columns_of<FinalistRow>("f.") + std::string(kFromStudies) +
                       "WHERE t.id IS NOT NULL AND (" + condition + ") ORDER BY v.kernel, v.study_id");
  select.bind(values...);
  std::vector<Winner> winners;
  for (Row row : select.rows()) {
    StudySummary summary = read_summary(row);
    Winner& winner = winners.emplace_back();
    winner.study_id = summary.id;
    winner.study = std::move(summary.study);
    winner.trials = summary.trials, winner.failed = summary.failed;
    winner.updated_unix_ms = summary.updated_unix_ms;
    winner.measured_unix_ms = row.integer();
    winner.from_playoff = row.maybe_integer().has_value();
    winner.environment = read_fields<SessionEnvironment>(row);
    winner.trial = read_trial(row, winner.study);
    if (winner.from_playoff) read_finalist(row, winner.trial);
    winner.changes = changes.changes_since(winner.study, winner.updated_unix_ms, winner.environment);
  }
  return winners;
}

// The objective is less than 0 where a metric is maximized.
double lead_of(const Trial& first, const Trial& second) {
  const double a = std::abs(first.objective), b = std::abs(second.objective);
  const double ratio = second.objective < 0 ? a / b : b / a;
  return std::isfinite(ratio) ? ratio - 1 : 0;
}

Status known_status(const std::string& name) {
  const auto status = status_from_name(name);
  if (!status) throw Failure("the status \"" + name + "\" of a trial is unknown");
  return *status;
}

// The device or the compiler refuses the configuration for a problem; on another problem it may be right.
bool is_refusal(Status status) {
  switch (status) {
    case Status::invalid:
    case Status::compile_failed:
    case Status::compile_timed_out:
    case Status::launch_failed:
    case Status::out_of_memory:
      return true;
    default:
      return false;
  }
}

// True if a later trial shows that a configuration of a portfolio is wrong: it misbehaved on some problem, or
// failed on all.
class WrongConfigs {
 public:
  explicit WrongConfigs(const Connection& connection)
      : outcomes_(connection,
                  "SELECT t.status, t.ended_ms FROM studies s JOIN devices d ON d.id = s.device_id JOIN "
                  "current_trials t ON t.study_id = s.id AND t.config = ? WHERE s.kernel = ? AND s.fingerprint "
                  "= ? AND " +
                      kIsDevice) {}

  bool contain(const Portfolio& portfolio, const Config& config) {
    bind_fields(outcomes_.bind(config.json(), portfolio.kernel, portfolio.fingerprint), portfolio.device);
    bool is_tried = false, went_well = false;
    for (Row row : outcomes_.rows()) {
      const Status status = known_status(row.text());
      is_tried = true;
      went_well = went_well || status == Status::ok;
      if (status != Status::ok && !is_refusal(status) && row.integer() > portfolio.made_unix_ms) return true;
    }
    return is_tried && !went_well;
  }

 private:
  Statement outcomes_;
};

// Leaves configurations that are wrong now out of a portfolio and notes why it is stale.
void leave_out_wrong(Portfolio& portfolio, WrongConfigs& wrong) {
  std::vector<Config> kept;
  std::vector<std::size_t> places;  // among those that are kept; the first replaces one that is left out
  for (const Config& config : portfolio.configs) {
    const bool is_left_out = wrong.contain(portfolio, config);
    places.push_back(is_left_out ? 0 : kept.size());
    if (!is_left_out) kept.push_back(config);
  }
  const std::size_t left_out = places.size() - kept.size();
  if (left_out == 0) return;
  portfolio.configs = std::move(kept);
  for (PortfolioNode& node : portfolio.tree) {
    if (node.axis.empty()) node.config = places[node.config];
  }
  portfolio.stale.push_back(std::to_string(left_out) +
                            (left_out == 1 ? " configuration" : " configurations") +
                            " of the portfolio failed later and " + (left_out == 1 ? "is" : "are") +
                            " left out");
}

std::vector<Portfolio> read_portfolios(const Connection& connection, const std::string& kernel) {
  Statement select(connection,
                   "SELECT p.kernel, p.fingerprint, " +
                       columns_of<DeviceIdentity>("d.") +
                       ", p.regime, p.objective, p.within, p.made_ms, p.body, (SELECT max(t.ended_ms) FROM studies s "
                   "JOIN trials t ON t.study_id = s.id WHERE (s.kernel, s.fingerprint, s.device_id, s.regime, "
                   "s.objective) = (p.kernel, p.fingerprint, p.device_id, p.regime, p.objective)) FROM "
                   "portfolios p JOIN devices d ON d.id = p.device_id WHERE ?1 = '' OR p.kernel = ?1 ORDER BY "
                   "p.made_ms DESC, p.id DESC");
  WrongConfigs wrong(connection);
  std::vector<Portfolio> portfolios;
  for (Row row : select.bind(kernel).rows()) {
    Portfolio portfolio;
    portfolio.kernel = row.text();
    portfolio.fingerprint = row.text();
    portfolio.device = read_fields<DeviceIdentity>(row);
    portfolio.regime = regime_from_name(row.text()).value_or(Regime::cold);
    portfolio.objective = row.text();
    portfolio.within = row.real();
    portfolio.made_unix_ms = row.integer();
    naming("the portfolio of '" + portfolio.kernel + "'", [&] { read_body_text(row.text(), portfolio); });
    const bool is_outdated = row.integer() > portfolio.made_unix_ms;
    leave_out_wrong(portfolio, wrong);
    if (is_outdated) portfolio.stale.emplace_back(kPortfolioOutdated);
    if (!portfolio.configs.empty()) portfolios.push_back(std::move(portfolio));
  }
  return portfolios;
}

std::map<std::string, KernelSpace> read_spaces(const Connection& connection) {
  std::map<std::string, KernelSpace> spaces;  // by kernel and fingerprint
  Statement select(connection,
                   "SELECT kernel, fingerprint, matching, constraints, default_config FROM spaces");
  for (Row row : select.rows()) {
    const std::string kernel = row.text();
    naming("the space of '" + kernel + "'", [&] {
      KernelSpace& space = spaces[kernel + '\n' + row.text()];
      space.matching = values_from_json(row.view());
      for (const auto& constraint : SortedJson::parse(row.view(), nullptr, false)) {
        if (!constraint.is_string()) throw Failure("its constraints are not texts");
        space.constraints.push_back(constraint);
      }
      space.default_config = values_from_json(row.view());
    });
  }
  return spaces;
}

// Each device as its latest session describes it.
std::vector<DeviceInfo> read_devices(const Connection& connection) {
  Statement select(connection,
                   "SELECT " + columns_of<DeviceIdentity>("d.") +
                       ", (SELECT c.figures FROM sessions c "
                   "WHERE (SELECT s.device_id FROM trials t JOIN studies s ON s.id = t.study_id WHERE "
                   "t.session_id = c.id LIMIT 1) = d.id ORDER BY c.begun_ms DESC, c.id DESC LIMIT 1) FROM devices d");
  std::vector<DeviceInfo> devices;
  for (Row row : select.rows()) {
    DeviceInfo& device = devices.emplace_back(device_of(read_fields<DeviceIdentity>(row)));
    if (const auto figures = row.maybe_view()) set_figures(device, values_from_json(*figures));
  }
  return devices;
}

}  // namespace

std::vector<StudySummary> read_counted(const Connection& connection, const std::string& condition) {
  Statement select(connection, "SELECT " + study_columns("v.") +
                                   ", coalesce(f.median_us, t.median_us), t.id, " +
                                   columns_of<SessionEnvironment>("c.") + std::string(kFromStudies) +
                                   "WHERE " + condition + " ORDER BY v.study_id");
  ChangeReader changes(connection);
  std::vector<StudySummary> summaries;
  for (Row row : select.rows()) {
    StudySummary& summary = summaries.emplace_back(read_summary(row));
    summary.best_us = row.maybe_real();
    if (!row.maybe_integer() || row.is_null()) continue;
    summary.changes =
        changes.changes_since(summary.study, summary.updated_unix_ms, read_fields<SessionEnvironment>(row));
  }
  return summaries;
}

Result<std::vector<Winner>> Database::winners(const std::string& kernel) const {
  return reading([&] {
    ChangeReader changes(*connection_);
    auto winners = read_winners(*connection_, Counts::read, changes, "?1 = '' OR v.kernel = ?1", kernel);
    if (winners.empty()) require_sound(*connection_);
    return winners;
  });
}

Result<std::optional<Winner>> Database::winner(std::int64_t study) const {
  return reading([&]() -> std::optional<Winner> {
    ChangeReader changes(*connection_);
    auto winners = read_winners(*connection_, Counts::read, changes, "v.study_id = ?", study);
    if (winners.empty()) return std::nullopt;
    return std::move(winners.front());
  });
}

Result<Evidence> Database::evidence(const Winner& winner) const {
  return reading([&] {
    Evidence evidence;
    if (winner.from_playoff) {
      const auto playoff = read_playoff(*connection_, winner.study_id);
      if (playoff && playoff->finalists.size() > 1) evidence.second = playoff->finalists[1];
    } else {
      Statement select(*connection_, "SELECT " + trial_columns() +
                                         " FROM current_trials t WHERE t.study_id = ? AND t.status = 'ok' AND "
                                         "t.objective IS NOT NULL AND t.id <> ? ORDER BY t.is_dropped_early, "
                                         "t.fresh_us IS NULL, t.objective LIMIT 1");
      const auto trials = read_trials(select.bind(winner.study_id, winner.trial.id), winner.study);
      if (!trials.empty()) evidence.second = trials.front();
    }
    if (evidence.second) {
      evidence.lead = lead_of(winner.trial, *evidence.second);
      evidence.is_lead_clear = winner.trial.timing.high_us < evidence.second->timing.low_us;
    }
    return evidence;
  });
}

Result<WinnersByKernel> Database::kernel_winners(const std::string& of_kernel) const {
  return reading([&] {
    WinnersByKernel kernels;
    ChangeReader changes(*connection_);
    auto all = read_winners(*connection_, Counts::ignored, changes, "?1 = '' OR v.kernel = ?1", of_kernel);
    std::ranges::sort(all, [](const Winner& a, const Winner& b) {
      return std::pair(a.updated_unix_ms, a.study_id) > std::pair(b.updated_unix_ms, b.study_id);
    });
    const auto version_of = [&](const std::string& kernel, const std::string& fingerprint) {
      auto& versions = kernels[kernel].versions;
      return std::ranges::find_if(versions, [&](const KernelVersion& known) {
        return known.winners.front().study.fingerprint == fingerprint;
      });
    };
    for (Winner& winner : all) {
      winner.trial.samples_us = {};  // an application asks for the time alone
      KernelWinners& kernel = kernels[winner.study.kernel];
      if (const auto latest = changes.latest(winner.study.device))
        kernel.latest.emplace(winner.study.device.name, *latest);
      auto version = version_of(winner.study.kernel, winner.study.fingerprint);
      if (version == kernel.versions.end()) version = kernel.versions.emplace(version);
      version->winners.push_back(std::move(winner));
    }
    for (Portfolio& portfolio : read_portfolios(*connection_, of_kernel)) {
      if (!kernels.contains(portfolio.kernel)) continue;
      const auto version = version_of(portfolio.kernel, portfolio.fingerprint);
      if (version != kernels[portfolio.kernel].versions.end())
        version->portfolios.push_back(std::move(portfolio));
    }
    const auto spaces = read_spaces(*connection_);
    const auto devices = read_devices(*connection_);
    for (auto& [name, kernel] : kernels) {
      kernel.devices = devices;
      for (KernelVersion& version : kernel.versions) {
        std::ranges::stable_sort(version.portfolios, {}, [](const Portfolio& each) {
          return std::pair(each.regime != Regime::cold, each.objective != "time");
        });
        const auto space = spaces.find(name + '\n' + version.winners.front().study.fingerprint);
        if (space != spaces.end()) version.space = space->second;
      }
    }
    return kernels;
  });
}

Result<std::vector<Portfolio>> Database::portfolios(const std::string& kernel) const {
  return reading([&] {
    return read_portfolios(*connection_, kernel);
  });
}

Result<void> Database::store_portfolio(const Portfolio& portfolio) {
  return guarded([&] {
    Statement insert(*connection_,
                     "INSERT INTO portfolios (kernel, fingerprint, device_id, regime, objective, within, made_ms, "
                     "body) SELECT ?, ?, d.id, ?, ?, ?, ?, ? FROM devices d WHERE " +
                         kIsDevice +
                         " ON CONFLICT (kernel, fingerprint, device_id, regime, objective) DO UPDATE SET within = "
                         "excluded.within, made_ms = excluded.made_ms, body = excluded.body");
    insert.bind(portfolio.kernel, portfolio.fingerprint, regime_name(portfolio.regime), portfolio.objective,
                portfolio.within, portfolio.made_unix_ms, body_text(portfolio));
    bind_fields(insert, portfolio.device).run();
    if (connection_->changes() == 0)
      throw Failure("the device '" + portfolio.device.name + "' is not in the database");
  });
}

Result<std::vector<Trial>> Database::ranked(std::int64_t study, const RankedQuery& query) const {
  return reading([&] {
    const std::string which = query.failure
                                  ? "t.status = ?4 ORDER BY t.ended_ms, t.id"
                                  : "t.status = ?4 AND t.objective IS NOT NULL ORDER BY t.objective, t.id";
    Statement select(*connection_,
                     "SELECT " + trial_columns() +
                         " FROM current_trials t WHERE t.study_id = ?1 AND t.ended_ms >= ?2 AND " + which +
                         " LIMIT ?3");
    select.bind(study, query.since_unix_ms, query.limit, status_name(query.failure.value_or(Status::ok)));
    return read_trials(select, summary_of(*connection_, study).study);
  });
}

Result<std::map<Status, std::int64_t>> Database::failures(std::int64_t study) const {
  return guarded([&] {
    Statement select(*connection_,
                     "SELECT status, count(*) FROM current_trials WHERE study_id = ? AND status <> 'ok' GROUP BY 1");
    std::map<Status, std::int64_t> counts;
    for (Row row : select.bind(study).rows()) {
      const Status status = known_status(row.text());
      counts[status] = row.integer();
    }
    return counts;
  });
}

Result<TextValues> Database::texts(const std::string& kernel) const {
  return reading([&] {
    TextValues texts;
    // Imported trials have no space.
    const auto read_tried = [&](const std::string& select_objects, auto& of_names) {
      Statement select(*connection_, select_objects);
      for (Row row : select.bind(kernel).rows()) {
        for (const auto& [name, value] : values_from_json(row.view()))
          if (value.is_text()) of_names[name].insert(value.text());
      }
    };
    read_tried("SELECT DISTINCT problem FROM studies WHERE kernel = ?1", texts.axes);
    read_tried("SELECT DISTINCT t.config FROM studies s JOIN trials t ON t.study_id = s.id WHERE s.kernel = ?1",
               texts.parameters);
    Statement select(*connection_, "SELECT texts FROM spaces WHERE kernel = ?1");
    for (Row row : select.bind(kernel).rows()) {
      const auto of_space = SortedJson::parse(row.view(), nullptr, false);
      const auto read = [&](const char* kind, auto& of_names) {
        for (const auto& [name, values] : of_space.at(kind).items())
          for (const auto& value : values) of_names[name].insert(value.template get<std::string>());
      };
      try {
        read("axes", texts.axes);
        read("parameters", texts.parameters);
      } catch (const SortedJson::exception&) {
        throw Failure("its texts are not lists of texts by names");
      }
    }
    return texts;
  });
}

Result<std::set<std::int64_t>> Database::studies_with(Status status) const {
  return guarded([&] {
    Statement select(*connection_,
                     "SELECT s.id FROM studies s WHERE EXISTS (SELECT 1 FROM current_trials t WHERE t.study_id = "
                     "s.id AND t.status = ?)");
    std::set<std::int64_t> ids;
    for (Row row : select.bind(status_name(status)).rows()) ids.insert(row.integer());
    return ids;
  });
}

Result<QueryRows> Database::query(const std::string& sql) const {
  return reading([&] {
    Statement select(*connection_, sql);
    select.require_query();
    QueryRows result{select.column_names(), {}};
    for (Row row : select.rows()) {
      auto& cells = result.rows.emplace_back();
      for (std::size_t i = 0; i < result.columns.size(); ++i) cells.push_back(row.maybe_value());
    }
    return result;
  });
}

}  // namespace gktune

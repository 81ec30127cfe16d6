#include "db/store/trial_row.h"

#include <limits>
#include <string>

#include "db/row_sums.h"
#include "db/sqlite/failure.h"
#include "db/store/study_counts.h"
#include "db/values_json.h"

namespace gktune {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class T>
std::optional<T> known(T value) {
  return value < T{0} ? std::nullopt : std::optional<T>(value);
}

}  // namespace

const std::string kTrialIsSound = is_sound(summed::kTrials);
const std::string kTrialColumns = kTrialIsSound + ", id, " GKTUNE_TRIAL_CONTENTS;

// A finalist of a damaged playoff is damaged: its time decides nothing.
const std::string kFinalistIsSound =
    "(" + is_sound(summed::kFinalists) +
    " AND EXISTS (SELECT 1 FROM playoffs own WHERE own.id = playoff_id AND " +
    is_sound(summed::kPlayoffs, "own.") + "))";
const std::string kFinalistColumns = kFinalistIsSound + ", " GKTUNE_FINALIST_CONTENTS;

namespace {

// Makes room for a trial as the current one of its configuration. False: a later one is stored already.
bool displace_current(const sqlite::Database& database, std::int64_t study, const std::string& config,
                      std::int64_t ended_ms) {
  sqlite::Statement find(database,
                         "SELECT id, ended_ms, status, compile_s, run_s FROM trials"
                         " WHERE study_id = ? AND config = ? AND is_current = 1");
  if (!find.bind(study, config).step()) return true;
  auto row = find.row();
  auto id = row.integer();
  if (row.integer() > ended_ms) return false;
  CountChange change{.status = row.text(), .is_current = true, .trials = -1};
  change.compile_s = row.real();
  change.run_s = row.real();
  sqlite::Statement(database, "UPDATE trials SET is_current = 0 WHERE id = ?").bind(id).run();
  change_counts(database, study, change);
  change.is_current = false;
  change.trials = 1;
  change_counts(database, study, change);
  return true;
}

// "?FIRST, …, ?LAST"
std::string parameters(int first, int last) {
  std::string text;
  for (int i = first; i <= last; ++i) text += (text.empty() ? "?" : ", ?") + std::to_string(i);
  return text;
}

}  // namespace

void insert_trial(const sqlite::Database& database, std::int64_t study, std::int64_t session,
                  const Trial& trial) {
  static const std::string kInsert = "INSERT INTO trials (study_id, session_id, number, is_current, "
                                     GKTUNE_TRIAL_CONTENTS ", checksum) VALUES (" + parameters(1, 37) +
                                     ", gktune_checksum(?1, ?2, ?3, " + parameters(5, 37) + ", NULL))";
  const auto& timing = trial.timing;
  const auto& resources = trial.resources;
  const auto& conditions = trial.conditions;
  const auto config = identity_json(trial.config, "configuration");
  const bool is_current = displace_current(database, study, config, trial.ended_unix_ms);
  sqlite::Statement next(database, "SELECT coalesce(max(number), 0) + 1 FROM trials WHERE session_id = ?");
  next.bind(session).step();
  const auto number = next.row().integer();
  // NaN binds as NULL, so that a missing time is not the shortest.
  auto timed = [&](double value) { return trial.samples_us.empty() ? kNaN : value; };
  sqlite::Statement(database, kInsert)
      .bind(study, session, number, is_current, config, status_name(trial.status), trial.message,
            trial.ok() ? trial.objective : kNaN, trial.is_dropped_early, timed(timing.median_us),
            timed(timing.low_us), timed(timing.high_us), timed(timing.min_us), timed(timing.mean_us),
            timed(timing.deviation_us), trial.metrics.json(), known(resources.registers),
            known(resources.spill_bytes), known(resources.static_shared_bytes),
            known(resources.dynamic_shared_bytes), known(resources.occupancy), resources.grid[0],
            resources.grid[1], resources.grid[2], resources.block[0], resources.block[1], resources.block[2],
            known(conditions.clock_mhz), known(conditions.temperature_c), known(conditions.power_w),
            known(conditions.energy_j), conditions.throttled, trial.compile_s, trial.run_s,
            trial.started_unix_ms, trial.ended_unix_ms, trial.samples_us)
      .run();
  change_counts(database, study,
                {std::string(status_name(trial.status)), is_current, 1, trial.compile_s, trial.run_s});
}

void insert_finalist(const sqlite::Database& database, std::int64_t playoff, std::int64_t place,
                     std::int64_t trial, const Trial& finalist) {
  static const std::string kInsert = "INSERT INTO finalists (playoff_id, place, trial_id, "
                                     GKTUNE_FINALIST_CONTENTS ", checksum) VALUES (" + parameters(1, 12) +
                                     ", gktune_checksum(" + parameters(1, 12) + "))";
  const auto& timing = finalist.timing;
  sqlite::Statement(database, kInsert)
      .bind(playoff, place, trial, finalist.objective, timing.median_us, timing.low_us, timing.high_us,
            timing.min_us, timing.mean_us, timing.deviation_us, finalist.metrics.json(), finalist.samples_us)
      .run();
}

void read_finalist(sqlite::Row& row, Trial& trial) {
  if (!row.boolean()) throw sqlite::Failure("damaged: the checksum of a finalist differs");
  auto& timing = trial.timing;
  for (double* figure : {&trial.objective, &timing.median_us, &timing.low_us, &timing.high_us, &timing.min_us,
                         &timing.mean_us, &timing.deviation_us}) {
    *figure = row.real();
  }
  const auto metrics = row.view();
  trial.metrics = metrics.empty() ? NamedValues() : values_from_json(metrics);
  trial.samples_us = row.reals();
}

Trial read_trial(sqlite::Row& row) {
  Trial trial;
  const bool is_sound = row.boolean();
  trial.id = row.integer();
  if (!is_sound)
    throw sqlite::Failure("damaged: the checksum of trial " + std::to_string(trial.id) + " differs");
  trial.config = values_from_json(row.view());
  auto name = row.text();
  auto status = status_from_name(name);
  if (!status)
    throw sqlite::Failure("trial " + std::to_string(trial.id) + " has an unknown status \"" + name + '"',
                          sqlite::Failure::kNewer);
  trial.status = *status;
  trial.message = row.text();
  trial.objective = row.real();
  if (!trial.ok()) trial.objective = 0;
  trial.is_dropped_early = row.boolean();
  auto& timing = trial.timing;
  for (double* time : {&timing.median_us, &timing.low_us, &timing.high_us, &timing.min_us, &timing.mean_us,
                       &timing.deviation_us}) {
    *time = row.real();
  }
  trial.metrics = values_from_json(row.view());
  auto& resources = trial.resources;
  resources.registers = static_cast<int>(row.maybe_integer().value_or(-1));
  resources.spill_bytes = row.maybe_integer().value_or(-1);
  resources.static_shared_bytes = row.maybe_integer().value_or(-1);
  resources.dynamic_shared_bytes = row.maybe_integer().value_or(-1);
  resources.occupancy = row.maybe_real().value_or(-1);
  for (auto& size : resources.grid) size = row.integer();
  for (auto& size : resources.block) size = row.integer();
  auto& conditions = trial.conditions;
  conditions.clock_mhz = row.maybe_real().value_or(-1);
  conditions.temperature_c = row.maybe_real().value_or(-1);
  conditions.power_w = row.maybe_real().value_or(-1);
  conditions.energy_j = row.maybe_real().value_or(-1);
  conditions.throttled = row.boolean();
  trial.compile_s = row.real();
  trial.run_s = row.real();
  trial.started_unix_ms = row.integer();
  trial.ended_unix_ms = row.integer();
  trial.samples_us = row.reals();
  if (trial.samples_us.empty()) timing = Timing{};
  return trial;
}

std::optional<std::int64_t> best_sound_trial(const sqlite::Database& database, std::int64_t study) {
  sqlite::Statement find(database,
                         "SELECT id FROM trials WHERE study_id = ? AND is_current = 1 AND status = 'ok'"
                         " AND objective IS NOT NULL AND " +
                             kTrialIsSound +
                             " ORDER BY is_dropped_early, objective, length(samples) DESC, ended_ms DESC,"
                             " config LIMIT 1");
  if (!find.bind(study).step()) return std::nullopt;
  return find.row().integer();
}

}  // namespace gktune

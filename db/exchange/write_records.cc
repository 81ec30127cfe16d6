#include <algorithm>
#include <limits>
#include <optional>
#include <tuple>

#include "db/answers/session_environment.h"
#include "db/exchange/records.h"
#include "db/portfolio/portfolio_row.h"
#include "db/row_sums.h"
#include "db/sqlite/failure.h"
#include "db/store/columns.h"
#include "db/store/settle.h"
#include "db/store/study_identity.h"
#include "db/store/trial_row.h"

namespace gktune {
namespace {

using sqlite::Failure;
using sqlite::SqlValue;
using sqlite::Statement;

std::string question_marks(std::size_t count) {
  std::string marks;
  for (std::size_t i = 0; i < count; ++i) marks += i == 0 ? "?" : ", ?";
  return marks;
}

// A measurement of a configuration.
struct Row {
  std::int64_t id = 0;
  std::string host;
  EnvironmentVersion environment;
  bool is_ok = false, is_finalist = false;
  std::int64_t ended_ms = 0;
  std::string session;
  std::int64_t number = 0;
  bool is_current = false;

  auto time() const { return std::tie(ended_ms, session, number); }
};

// The row of a configuration that counts. The latest row of each host stands for the host; the newest
// environment goes before a playoff, and a playoff before the time.
struct Choice {
  const Row* row = nullptr;
  enum class Reason { only_host, environment, playoff, time } reason = Reason::only_host;
  bool overrules_failure = false;  // of another host
};

Choice choose(const std::vector<Row>& rows) {
  std::map<std::string, const Row*> latest;
  for (const Row& row : rows) {
    const Row*& of_host = latest[row.host];
    if (of_host == nullptr || of_host->time() < row.time()) of_host = &row;
  }
  const auto rank = [](const Row& row) {
    return std::tie(row.environment, row.is_finalist, row.ended_ms, row.session, row.number);
  };
  const Row* best = nullptr;
  for (const auto& [host, row] : latest) {
    if (best == nullptr || rank(*best) < rank(*row)) best = row;
  }
  if (latest.size() == 1) return {best, Choice::Reason::only_host};
  // The reason is the first difference between the best and the next one.
  const Row* next = nullptr;
  bool overrules_failure = false;
  for (const auto& [host, row] : latest) {
    if (row == best) continue;
    overrules_failure = overrules_failure || (best->is_ok && !row->is_ok);
    if (next == nullptr || rank(*next) < rank(*row)) next = row;
  }
  const auto because = [&](Choice::Reason reason) { return Choice{best, reason, overrules_failure}; };
  if (best->environment != next->environment) return because(Choice::Reason::environment);
  return because(best->is_finalist != next->is_finalist ? Choice::Reason::playoff : Choice::Reason::time);
}

// Reads whether a row of the database is sound, and its fields. Returns no value for a damaged row.
std::optional<SortedJson> sound_fields(sqlite::Row& row, std::span<const Column> columns) {
  if (!row.boolean()) return std::nullopt;
  return sqlite::unless_damaged([&] {
    SortedJson fields;
    read_columns(row, columns, fields);
    return fields;
  });
}

}  // namespace

RecordWriter::RecordWriter(sqlite::Database& database) : database_(database), before_(winners()) {}

void RecordWriter::add(const SortedJson& record) {
  const std::string type = text_field_of(record, "type");
  if (type == "gktune") return add_header(record);
  if (!has_header_) throw Failure("the first line is not {\"type\":\"gktune\", …}");
  if (has_end_) throw Failure("a line after the last one, {\"type\":\"end\", …}");
  ++read_[type];
  if (type == "session") return add_session(record);
  if (type == "study") return add_study(record);
  if (type == "trial") return add_trial(record);
  if (type == "playoff") return add_playoff(record);
  if (type == "portfolio") return add_portfolio(record);
  if (type == "space") return add_space(record);
  if (type == "end") return add_end(record);
  throw Failure("'type' is '" + type + "'; known are session, study, trial, playoff, space, portfolio, end");
}

// Several files may follow each other.
void RecordWriter::add_header(const SortedJson& record) {
  require_end();
  require_known_fields(record, {"type", "version"});
  version_ = integer_field(record, "version");
  if (version_ < 1 || version_ > kExchangeVersion) {
    throw Failure("version " + std::to_string(version_) +
                  " of the format; this program knows versions up to " + std::to_string(kExchangeVersion));
  }
  has_header_ = true;
  has_end_ = false;
  read_.clear();
  studies_.clear();
}

void RecordWriter::add_end(const SortedJson& record) {
  require_known_fields(record, {"type", "studies", "trials", "playoffs"});
  constexpr std::pair<const char*, const char*> kCounts[] = {
      {"studies", "study"}, {"trials", "trial"}, {"playoffs", "playoff"}};
  for (const auto& [name, type] : kCounts) {
    if (const auto counted = integer_field(record, name); counted != read_[type]) {
      throw Failure("the file is incomplete: it has " + std::to_string(read_[type]) + " " + name + " of " +
                    std::to_string(counted));
    }
  }
  has_end_ = true;
}

// Version 1 had no last line.
void RecordWriter::require_end() const {
  if (has_header_ && !has_end_ && version_ > 1)
    throw Failure("the file is incomplete: its last line, {\"type\":\"end\", …}, is missing");
}

// A session is the same in every database. Unknown fields are completed; a damaged row is replaced. The
// text of its program may differ where a file was imported twice: the greater one stays, so that the
// order of merges does not matter.
void RecordWriter::add_session(const SortedJson& record) {
  require_known_fields(record, {"type"}, kSessionFields);
  std::vector<SqlValue> values;
  add_values(record, kSessionFields, values);
  const std::string uuid = text_field_of(record, "uuid");
  static const std::string kSeal = seal(summed::kSessions, "id = ?");
  Statement find(database_, "SELECT id, " + is_sound(summed::kSessions) + ", " + names_of(kSessionFields) +
                                " FROM sessions WHERE uuid = ?");
  if (!find.bind(uuid).step()) {
    Statement(database_, "INSERT INTO sessions (" + names_of(kSessionFields) + ") VALUES (" +
                             question_marks(values.size()) + ")")
        .bind_values(values)
        .run();
    sessions_[uuid] = database_.last_id();
    Statement(database_, kSeal).bind(sessions_[uuid]).run();
    ++merged_.sessions;
    return;
  }
  auto row = find.row();
  const auto id = sessions_[uuid] = row.integer();
  const auto known = sound_fields(row, kSessionFields);
  const auto is_unknown = [](const SortedJson& field) {
    return field.is_null() || field == "" || field == 0;
  };
  SortedJson completed;
  for (const Column& column : kSessionFields) {
    const std::string name = column.name;
    const SortedJson& given = member(record, column.name);
    SortedJson& own = completed[name] = known ? known->at(name) : unknown_field(column);
    if (is_unknown(given) || own == given) continue;
    // A session may have been running when it was exported for the first time.
    const bool may_differ = name == "ended_ms" || name == "tool_version" || name == "command_line";
    if (!is_unknown(own) && !may_differ) {
      throw Failure("'" + name + "' of session " + uuid + " is " +
                    given.dump(-1, ' ', false, SortedJson::error_handler_t::replace) +
                    " and in the database " + own.dump(-1, ' ', false, SortedJson::error_handler_t::replace) +
                    ": one of them was changed");
    }
    if (is_unknown(own) || own < given) own = given;
  }
  if (known && completed == *known) return;
  values.clear();
  add_values(completed, kSessionFields, values);
  values.emplace_back(id);
  Statement(database_, "UPDATE sessions SET (" + names_of(kSessionFields) + ") = (" +
                           question_marks(values.size() - 1) + ") WHERE id = ?")
      .bind_values(values)
      .run();
  Statement(database_, kSeal).bind(id).run();
}

std::int64_t RecordWriter::device_id(const SortedJson& device) {
  require_known_fields(device, {"kind", "name", "architecture", "multiprocessors"});
  return device_row(database_,
                    {text_field_of(device, "kind"), text_field_of(device, "name"),
                     text_field_of(device, "architecture"), integer_field(device, "multiprocessors")});
}

void RecordWriter::add_study(const SortedJson& record) {
  require_known_fields(record, {"type", "study", "kernel", "fingerprint", "device", "problem", "regime",
                                "objective", "recorded"});
  std::vector<SqlValue> values;
  add_values(record, kStudyFields, values);
  const auto text = [&](std::size_t column) { return std::get<std::string>(values[column]); };
  const StudyKey key{text(0), text(1), device_id(member(record, "device")), text(2), text(3), text(4)};
  const auto known = find_study(database_, key);
  const std::int64_t id = known ? *known : gktune::add_study(database_, key);
  merged_.studies += known ? 0 : 1;
  if (const auto* recorded = std::get_if<std::string>(&values[5])) {
    // The greater text, so that the order of merges does not matter.
    Statement(database_,
              change_sound(summed::kStudies, "recorded", "max(coalesce(recorded, ''), ?1)", "id = ?2"))
        .bind(*recorded, id)
        .run();
  }
  studies_[ordinal_field(record, "study")] = id;
  touched_.insert(id);
}

std::int64_t RecordWriter::session_id(const SortedJson& record) const {
  const std::string uuid = text_field_of(record, "session");
  const auto found = sessions_.find(uuid);
  if (found == sessions_.end()) throw Failure("there is no session '" + uuid + "' before this line");
  return found->second;
}

std::int64_t RecordWriter::study_id(const SortedJson& record) const {
  const auto number = ordinal_field(record, "study");
  const auto found = studies_.find(number);
  if (found == studies_.end())
    throw Failure("there is no study " + std::to_string(number) + " before this line");
  return found->second;
}

void RecordWriter::add_trial(const SortedJson& record) {
  const std::int64_t study = study_id(record), session = session_id(record),
                     number = ordinal_field(record, "number");
  require_known_fields(record, {"type", "study", "session", "number"}, kTrialFields);
  std::vector<SqlValue> values = {study, session, number};
  add_values(record, kTrialFields, values);
  Statement find(database_, "SELECT id, study_id, " + kTrialIsSound + ", " + names_of(kTrialFields) +
                                " FROM trials WHERE session_id = ? AND number = ?");
  static const std::string kSeal = seal(summed::kTrials, "id = ?");
  if (find.bind(session, number).step()) {
    auto row = find.row();
    const auto id = row.integer();
    const auto known_study = row.integer();
    const auto known = sound_fields(row, kTrialFields);
    if (!known) {  // the sound row takes the place of the damaged one
      Statement(database_, "UPDATE trials SET (study_id, session_id, number, is_current, " +
                               names_of(kTrialFields) + ") = (?1, ?2, ?3, 0, " +
                               question_marks(values.size() - 3) + ") WHERE id = " + std::to_string(id))
          .bind_values(values)
          .run();
      Statement(database_, kSeal).bind(id).run();
      touched_.insert({study, known_study});
      ++merged_.trials;
      return;
    }
    SortedJson given;
    for (const Column& column : kTrialFields) given[column.name] = member(record, column.name);
    // Numbers may be written as 1 or 1.0.
    if (known_study != study || *known != given) {
      throw Failure("trial " + std::to_string(number) + " of session " + text_field_of(record, "session") +
                    " differs from the one in the database: one of them was changed");
    }
    ++merged_.known_trials;
    return;
  }
  Statement(database_, "INSERT INTO trials (study_id, session_id, number, is_current, " +
                           names_of(kTrialFields) + ") VALUES (?1, ?2, ?3, 0, " +
                           question_marks(values.size() - 3) + ")")
      .bind_values(values)
      .run();
  Statement(database_, kSeal).bind(database_.last_id()).run();
  touched_.insert(study);
  ++merged_.trials;
}

void RecordWriter::add_playoff(const SortedJson& record) {
  const std::int64_t study = study_id(record), session = session_id(record),
                     held = integer_field(record, "held_ms");
  require_known_fields(record, {"type", "study", "session", "held_ms", "finalists"});
  const SortedJson& finalists = member(record, "finalists");
  if (!finalists.is_array()) throw Failure("'finalists' is not an array");
  std::vector<std::vector<SqlValue>> fields;
  std::set<std::int64_t> places;
  for (const SortedJson& finalist : finalists) {
    require_known_fields(finalist, {"session", "number"}, kFinalistFields);
    ordinal_field(finalist, "number");
    if (const auto place = ordinal_field(finalist, "place"); !places.insert(place).second)
      throw Failure("two finalists have the place " + std::to_string(place));
    add_values(finalist, kFinalistFields, fields.emplace_back());
  }
  Statement find(database_,
                 "SELECT 1 FROM playoffs WHERE study_id = ? AND session_id = ? AND held_ms = ? AND " +
                     is_sound(summed::kPlayoffs));
  if (find.bind(study, session, held).step()) return;
  // Without its winner it decides nothing.
  const auto has_winner = std::ranges::any_of(
      finalists, [](const SortedJson& each) { return integer_field(each, "place") == 1; });
  if (!has_winner) return;
  Statement(database_, "INSERT INTO playoffs (study_id, session_id, held_ms) VALUES (?, ?, ?)")
      .bind(study, session, held)
      .run();
  const std::int64_t playoff = database_.last_id();
  Statement(database_, seal(summed::kPlayoffs, "id = ?")).bind(playoff).run();
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const SortedJson& finalist = finalists[i];
    Statement trial(database_, "SELECT id FROM trials WHERE session_id = ? AND number = ? AND study_id = ?");
    if (!trial.bind(session_id(finalist), integer_field(finalist, "number"), study).step())
      throw Failure("there is no trial of a finalist before this line");
    std::vector<SqlValue> values = {playoff, trial.row().integer()};
    values.insert(values.end(), fields[i].begin(), fields[i].end());
    Statement(database_, "INSERT INTO finalists (playoff_id, trial_id, " + names_of(kFinalistFields) +
                             ") VALUES (" + question_marks(values.size()) + ")")
        .bind_values(values)
        .run();
    Statement(database_, seal(summed::kFinalists, "id = ?")).bind(database_.last_id()).run();
  }
  touched_.insert(study);
  ++merged_.playoffs;
}

void RecordWriter::add_portfolio(const SortedJson& record) {
  require_known_fields(record, {"type", "device"}, kPortfolioFields);
  std::vector<SqlValue> values;
  add_values(record, kPortfolioFields, values);
  values.insert(values.begin() + 2, device_id(member(record, "device")));
  write_portfolio(database_, values, Kept::later);
  ++merged_.portfolios;
}

void RecordWriter::add_space(const SortedJson& record) {
  require_known_fields(record, {"type"}, kSpaceFields);
  std::vector<SqlValue> values;
  add_values(record, kSpaceFields, values);
  // The greater text stays, so that the order of merges does not matter.
  Statement(
      database_,
      "INSERT INTO spaces (kernel, fingerprint, matching, constraints, default_config) VALUES (?, ?, ?, ?, "
      "?) ON CONFLICT (kernel, fingerprint) DO UPDATE SET matching = excluded.matching, constraints = "
      "excluded.constraints, default_config = excluded.default_config WHERE (excluded.constraints, "
      "excluded.matching, excluded.default_config)  > (constraints, matching, default_config) OR NOT " +
          is_sound(summed::kSpaces))
      .bind_values(values)
      .run();
  if (database_.changes() == 0) return;
  Statement(database_, seal(summed::kSpaces, "kernel = ? AND fingerprint = ?"))
      .bind(text_field_of(record, "kernel"), text_field_of(record, "fingerprint"))
      .run();
}

void RecordWriter::choose_current() {
  // The environment of a damaged session is unknown.
  const std::string sound = is_sound(summed::kSessions);
  Statement select(
      database_,
      "WITH known AS MATERIALIZED (SELECT id, uuid, iif(" + sound + ", host_name, '') AS host_name, iif(" +
          sound + ", driver, '') AS driver, iif(" + sound +
          ", runtime, '') AS runtime FROM sessions) SELECT study_id, config, id, host_name, driver, runtime, "
          "status = 'ok', is_finalist, ended_ms, uuid, number, is_current FROM (SELECT t.study_id, t.config, "
          "t.id, c.host_name, c.driver, c.runtime, t.status,  EXISTS (SELECT 1 FROM finalists f WHERE "
          "f.trial_id = t.id) AS is_finalist, t.ended_ms, c.uuid,  t.number, t.is_current, count(*) OVER "
          "(PARTITION BY t.study_id, t.config) AS rows,  max(t.is_current) OVER (PARTITION BY t.study_id, "
          "t.config) AS has_current  FROM trials t JOIN known c ON c.id = t.session_id) WHERE rows > 1 OR "
          "has_current = 0 ORDER BY study_id, config");
  struct Group {
    std::int64_t study = 0;
    std::string config;
    std::vector<Row> rows;
  };
  std::vector<Group> groups;
  while (select.step()) {
    auto row = select.row();
    const auto study = row.integer();
    auto config = row.text();
    if (groups.empty() || groups.back().study != study || groups.back().config != config)
      groups.push_back({study, std::move(config), {}});
    Row& each = groups.back().rows.emplace_back();
    each.id = row.integer();
    each.host = row.text();
    const std::string driver = row.text();
    each.environment = EnvironmentVersion(driver, row.text());
    each.is_ok = row.boolean();
    each.is_finalist = row.boolean();
    each.ended_ms = row.integer();
    each.session = row.text();
    each.number = row.integer();
    each.is_current = row.boolean();
  }
  Statement set(database_, "UPDATE trials SET is_current = ? WHERE id = ?");
  for (const Group& group : groups) {
    const Choice choice = choose(group.rows);
    merged_.by_environment += choice.reason == Choice::Reason::environment ? 1 : 0;
    merged_.by_playoff += choice.reason == Choice::Reason::playoff ? 1 : 0;
    merged_.by_time += choice.reason == Choice::Reason::time ? 1 : 0;
    merged_.overruled_failures += choice.overrules_failure ? 1 : 0;
    if (choice.row->is_current) continue;
    for (const Row& row : group.rows) {
      if (row.is_current) set.bind(false, row.id).run();
    }
    set.bind(true, choice.row->id).run();
    touched_.insert(group.study);
  }
}

std::map<std::int64_t, RecordWriter::Winner> RecordWriter::winners() const {
  std::map<std::int64_t, Winner> all;
  Statement select(database_,
                   "SELECT study_id, kernel, problem, device, config, from_playoff FROM best_view");
  while (select.step()) {
    auto row = select.row();
    Winner& winner = all[row.integer()];
    winner.study = row.text();
    winner.study += " " + row.text();
    winner.study += " on " + row.text();
    winner.config = row.text();
    winner.from_playoff = row.boolean();
  }
  return all;
}

Merged RecordWriter::finish() {
  if (!has_header_) throw Failure("it is empty; the first line would be {\"type\":\"gktune\", …}");
  require_end();
  choose_current();
  settle(database_, touched_);
  const auto evidence = [](const Winner& winner) { return winner.from_playoff ? " (playoff)" : " (median)"; };
  for (const auto& [study, now] : winners()) {
    const auto earlier = before_.find(study);
    if (earlier == before_.end() || earlier->second.config == now.config) continue;
    merged_.changed_winners.push_back(now.study + ": " + earlier->second.config + evidence(earlier->second) +
                                      " -> " + now.config + evidence(now));
  }
  return std::move(merged_);
}

}  // namespace gktune

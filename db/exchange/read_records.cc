#include <algorithm>
#include <optional>
#include <set>

#include "db/exchange/columns.h"
#include "db/exchange/records.h"
#include "db/row_sums.h"
#include "db/sqlite/failure.h"
#include "db/store/trial_row.h"
#include "db/study_row.h"
#include "db/values_json.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

using sqlite::Statement;

constexpr const char* kDeviceColumns = "d.kind, d.name, d.architecture, d.multiprocessors";

SortedJson read_device_fields(sqlite::Row& row) {
  SortedJson device;
  for (const char* name : {"kind", "name", "architecture"}) device[name] = row.text();
  device["multiprocessors"] = row.integer();
  return device;
}

SortedJson parse_text(const std::string& text) {
  auto json = SortedJson::parse(text, nullptr, false);
  if (json.is_discarded()) throw sqlite::Failure("damaged: not JSON: " + text.substr(0, 80));
  return json;
}

class Reading {
 public:
  Reading(const sqlite::Database& database, const OnRecord& on_record) : database_(database), on_record_(on_record) {}

  Exported run(const std::vector<std::int64_t>* studies) {
    on_record_({{"type", "gktune"}, {"version", kExchangeVersion}});
    const auto selected = select(studies);
    read_sessions(selected);
    for (const std::int64_t study : selected) {
      const auto record = unless_damaged([&] { return study_record(study, exported_.studies + 1); });
      if (!record) continue;
      on_record_(*record);
      ++exported_.studies;
      read_trials(study, exported_.studies);
      read_playoffs(study, exported_.studies);
    }
    read_spaces(selected);
    read_portfolios(selected);
    on_record_({{"type", "end"},
                {"studies", exported_.studies},
                {"trials", exported_.trials},
                {"playoffs", exported_.playoffs}});
    return exported_;
  }

 private:
  // Makes a record of a row. Counts a damaged row and returns no value.
  template <class Function>
  std::optional<SortedJson> unless_damaged(Function make) {
    return sqlite::unless_damaged(make, [&](const sqlite::Failure&) { ++exported_.damaged; });
  }

  std::vector<std::int64_t> select(const std::vector<std::int64_t>* studies) const {
    Statement all(database_, std::string("SELECT s.id FROM studies s JOIN devices d ON d.id = s.device_id"
                                         " ORDER BY s.kernel, s.fingerprint, s.problem, s.regime, s.objective, ") +
                                 kDeviceColumns);
    const std::set<std::int64_t> wanted =
        studies == nullptr ? std::set<std::int64_t>() : std::set<std::int64_t>(studies->begin(), studies->end());
    std::vector<std::int64_t> selected;
    while (all.step()) {
      const auto id = all.row().integer();
      if (studies == nullptr || wanted.contains(id)) selected.push_back(id);
    }
    return selected;
  }

  void read_sessions(const std::vector<std::int64_t>& studies) {
    std::set<std::int64_t> used;
    Statement of_study(database_,
                       "SELECT session_id FROM trials WHERE study_id = ?1"
                       " UNION SELECT session_id FROM playoffs WHERE study_id = ?1");
    for (const std::int64_t study : studies) {
      of_study.bind(study);
      while (of_study.step()) used.insert(of_study.row().integer());
    }
    Statement all(database_, "SELECT id, uuid, " + is_sound(summed::kSessions) + ", " + names_of(kSessionFields) +
                                 " FROM sessions ORDER BY uuid");
    while (all.step()) {
      auto row = all.row();
      if (!used.contains(row.integer())) continue;
      const auto uuid = row.text();
      const auto record = unless_damaged([&] {
        if (!row.boolean()) throw sqlite::Failure("damaged: its checksum differs");
        SortedJson session = {{"type", "session"}};
        read_columns(row, kSessionFields, session);
        return session;
      });
      on_record_(record ? *record : unknown_session(uuid));
    }
  }

  // Stands in for a damaged session: its trials are sound and need their session.
  static SortedJson unknown_session(const std::string& uuid) {
    SortedJson session = {{"type", "session"}};
    for (const Column& column : kSessionFields) session[column.name] = unknown_field(column);
    session["uuid"] = uuid;
    return session;
  }

  SortedJson study_record(std::int64_t study, std::int64_t number) const {
    Statement find(database_, "SELECT " + study_damage("s.id") + std::string(", s.kernel, s.fingerprint, s.problem, s.regime, s.objective,"
                                          " s.recorded, ") +
                                  kDeviceColumns + " FROM studies s JOIN devices d ON d.id = s.device_id WHERE s.id = ?");
    find.bind(study).step();
    auto row = find.row();
    if (const auto damage = row.text(); !damage.empty()) throw sqlite::Failure("damaged: " + damage);
    SortedJson record = {{"type", "study"}, {"study", number}};
    record["kernel"] = row.text();
    record["fingerprint"] = row.text();
    record["problem"] = sorted_json(values_from_json(row.text()));
    const auto regime = row.text();
    if (!regime_from_name(regime)) throw sqlite::Failure("damaged: the regime " + regime);
    record["regime"] = regime;
    record["objective"] = row.text();
    const auto recorded = row.text();
    record["recorded"] = recorded.empty() ? SortedJson() : parse_text(recorded);
    record["device"] = read_device_fields(row);
    return record;
  }

  void read_trials(std::int64_t study, std::int64_t number) {
    Statement all(database_, "SELECT t.id, t.is_sound, c.uuid, t.number, " + prefixed(kTrialFields) +
                                 " FROM (SELECT *, " + kTrialIsSound + " AS is_sound FROM trials WHERE study_id = ?) t"
                                 " JOIN sessions c ON c.id = t.session_id ORDER BY c.uuid, t.number");
    written_trials_.clear();
    all.bind(study);
    while (all.step()) {
      auto row = all.row();
      const auto id = row.integer();
      const auto record = unless_damaged([&] {
        if (!row.boolean()) throw sqlite::Failure("damaged: its checksum differs");
        SortedJson trial = {{"type", "trial"}, {"study", number}};
        trial["session"] = row.text();
        trial["number"] = row.integer();
        read_columns(row, kTrialFields, trial);
        values_from(trial["config"]);
        if (!status_from_name(trial["status"].get<std::string>())) throw sqlite::Failure("damaged: its status is unknown");
        return trial;
      });
      if (!record) continue;
      written_trials_.insert(id);
      on_record_(*record);
      ++exported_.trials;
    }
  }

  void read_playoffs(std::int64_t study, std::int64_t number) {
    Statement all(database_,
                  "SELECT p.id, " + is_sound(summed::kPlayoffs, "p.") + ", c.uuid, p.held_ms FROM playoffs p JOIN sessions c ON c.id = p.session_id"
                  " WHERE p.study_id = ? ORDER BY p.held_ms, c.uuid");
    Statement finalists(database_, "SELECT f.trial_id, f.is_sound, c.uuid, t.number, " + prefixed(kFinalistFields, "f.") +
                                       " FROM (SELECT *, " + kFinalistIsSound + " AS is_sound FROM finalists"
                                       "  WHERE playoff_id = ?) f JOIN trials t ON t.id = f.trial_id"
                                       " JOIN sessions c ON c.id = t.session_id ORDER BY f.place");
    all.bind(study);
    while (all.step()) {
      auto row = all.row();
      const auto playoff = row.integer();
      if (!row.boolean()) {
        ++exported_.damaged;
        continue;
      }
      SortedJson record = {{"type", "playoff"}, {"study", number}, {"finalists", SortedJson::array()}};
      record["session"] = row.text();
      record["held_ms"] = row.integer();
      finalists.bind(playoff);
      while (finalists.step()) {
        auto each = finalists.row();
        if (!written_trials_.contains(each.integer())) continue;  // it goes with its trial
        auto finalist = unless_damaged([&] {
          if (!each.boolean()) throw sqlite::Failure("damaged: its checksum differs");
          SortedJson sound;
          sound["session"] = each.text();
          sound["number"] = each.integer();
          read_columns(each, kFinalistFields, sound);
          return sound;
        });
        if (finalist) record["finalists"].push_back(*std::move(finalist));
      }
      on_record_(record);
      ++exported_.playoffs;
    }
  }

  void read_spaces(const std::vector<std::int64_t>& studies) {
    Statement all(database_,
                  "SELECT " + is_sound(summed::kSpaces) +
                      ", kernel, fingerprint, matching, constraints, default_config FROM spaces ORDER BY kernel, fingerprint");
    Statement find(database_, "SELECT id FROM studies WHERE kernel = ? AND fingerprint = ?");
    while (all.step()) {
      auto row = all.row();
      const bool is_row_sound = row.boolean();
      SortedJson record = {{"type", "space"}};
      for (const char* name : {"kernel", "fingerprint"}) record[name] = row.text();
      find.bind(record["kernel"].get<std::string>(), record["fingerprint"].get<std::string>());
      bool is_used = false;
      while (find.step()) is_used = is_used || std::ranges::find(studies, find.row().integer()) != studies.end();
      if (!is_used) continue;
      const auto parsed = unless_damaged([&] {
        if (!is_row_sound) throw sqlite::Failure("damaged: its checksum differs");
        for (const char* name : {"matching", "constraints", "default_config"})
          record[name] = sorted_json(values_from_json(row.text()));
        return record;
      });
      if (parsed) on_record_(*parsed);
    }
  }

  void read_portfolios(const std::vector<std::int64_t>& studies) {
    Statement all(database_, "SELECT " + is_sound(summed::kPortfolios, "p.") + " AND " + is_sound(summed::kDevices, "d.") +
                                 std::string(", p.kernel, p.fingerprint, p.regime, p.objective, p.within, p.made_ms,"
                                         " p.body, ") +
                                 kDeviceColumns + ", (SELECT min(s.id) FROM studies s WHERE s.kernel = p.kernel"
                                 " AND s.fingerprint = p.fingerprint AND s.device_id = p.device_id)"
                                 " FROM portfolios p JOIN devices d ON d.id = p.device_id"
                                 " ORDER BY p.kernel, p.fingerprint, p.regime, p.objective, " + kDeviceColumns);
    while (all.step()) {
      auto row = all.row();
      const auto record = unless_damaged([&] {
        if (!row.boolean()) throw sqlite::Failure("damaged: its checksum differs");
        SortedJson portfolio = {{"type", "portfolio"}};
        for (const char* name : {"kernel", "fingerprint", "regime", "objective"}) portfolio[name] = row.text();
        portfolio["within"] = row.real();
        portfolio["made_ms"] = row.integer();
        portfolio["body"] = parse_text(row.text());
        portfolio["device"] = read_device_fields(row);
        return portfolio;
      });
      if (record && std::ranges::find(studies, row.integer()) != studies.end()) on_record_(*record);
    }
  }

  static std::string prefixed(std::span<const Column> columns, const std::string& prefix = "t.") {
    return joined(columns, ", ", [&](const Column& column) { return prefix + column.name; });
  }

  const sqlite::Database& database_;
  const OnRecord& on_record_;
  Exported exported_;
  std::set<std::int64_t> written_trials_;  // of the study that is being read
};

}  // namespace

Exported read_records(const sqlite::Database& database, const std::vector<std::int64_t>* studies,
                      const OnRecord& on_record) {
  return Reading(database, on_record).run(studies);
}

}  // namespace gktune

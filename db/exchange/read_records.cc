#include <algorithm>
#include <optional>
#include <set>

#include "db/exchange/records.h"
#include "db/row_sums.h"
#include "db/sqlite/failure.h"
#include "db/store/columns.h"
#include "db/store/trial_row.h"
#include "db/study_row.h"

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

void require_sound(bool is_sound) {
  if (!is_sound) throw sqlite::Failure("damaged: its checksum differs");
}

class Reading {
 public:
  Reading(const sqlite::Database& database, const OnRecord& on_record)
      : database_(database), on_record_(on_record) {}

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
    Statement all(database_,
                  std::string("SELECT s.id FROM studies s JOIN devices d ON d.id = s.device_id"
                              " ORDER BY s.kernel, s.fingerprint, s.problem, s.regime, s.objective, ") +
                      kDeviceColumns);
    const std::set<std::int64_t> wanted = studies == nullptr
                                              ? std::set<std::int64_t>()
                                              : std::set<std::int64_t>(studies->begin(), studies->end());
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
    Statement all(database_, "SELECT id, uuid, " + is_sound(summed::kSessions) + ", " +
                                 names_of(kSessionFields) + " FROM sessions ORDER BY uuid");
    while (all.step()) {
      auto row = all.row();
      if (!used.contains(row.integer())) continue;
      const auto uuid = row.text();
      const auto record = unless_damaged([&] {
        require_sound(row.boolean());
        SortedJson session = {{"type", "session"}};
        read_columns(row, kSessionFields, session);
        return session;
      });
      if (uuid.empty()) continue;
      on_record_(record ? *record : unknown_session(uuid));
      written_sessions_.insert(uuid);
    }
  }

  // Stands in for a damaged session: its trials are sound and need their session. Trials of a session without
  // a name, or of a missing one, are left out.
  static SortedJson unknown_session(const std::string& uuid) {
    SortedJson session = {{"type", "session"}};
    for (const Column& column : kSessionFields) session[column.name] = unknown_field(column);
    session["uuid"] = uuid;
    return session;
  }

  SortedJson study_record(std::int64_t study, std::int64_t number) const {
    Statement find(database_, "SELECT " + study_damage("s.id") + ", " + names_of(kStudyFields, "s.") + ", " +
                                  kDeviceColumns +
                                  " FROM studies s JOIN devices d ON d.id = s.device_id WHERE s.id = ?");
    find.bind(study).step();
    auto row = find.row();
    if (const auto damage = row.text(); !damage.empty()) throw sqlite::Failure("damaged: " + damage);
    SortedJson record = {{"type", "study"}, {"study", number}};
    read_columns(row, kStudyFields, record);
    record["device"] = read_device_fields(row);
    return record;
  }

  void read_trials(std::int64_t study, std::int64_t number) {
    Statement all(database_, "SELECT t.id, t.is_sound, c.uuid, t.number, " + names_of(kTrialFields, "t.") +
                                 " FROM (SELECT *, " + kTrialIsSound +
                                 " AS is_sound FROM trials WHERE study_id = ?) t"
                                 " LEFT JOIN sessions c ON c.id = t.session_id ORDER BY c.uuid, t.number");
    written_trials_.clear();
    all.bind(study);
    while (all.step()) {
      auto row = all.row();
      const auto id = row.integer();
      const auto record = unless_damaged([&] {
        require_sound(row.boolean());
        SortedJson trial = {{"type", "trial"}, {"study", number}};
        trial["session"] = session_name(row);
        read_columns(row, std::span(&kTrialNumber, 1), trial);
        read_columns(row, kTrialFields, trial);
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
                  "SELECT p.id, " + is_sound(summed::kPlayoffs, "p.") +
                      ", c.uuid, p.held_ms FROM playoffs p LEFT JOIN sessions c ON c.id = p.session_id"
                      " WHERE p.study_id = ? ORDER BY p.held_ms, c.uuid");
    Statement finalists(database_, "SELECT f.trial_id, f.is_sound, c.uuid, t.number, " +
                                       names_of(kFinalistFields, "f.") + " FROM (SELECT *, " +
                                       kFinalistIsSound +
                                       " AS is_sound FROM finalists"
                                       "  WHERE playoff_id = ?) f JOIN trials t ON t.id = f.trial_id"
                                       " JOIN sessions c ON c.id = t.session_id ORDER BY f.place");
    all.bind(study);
    while (all.step()) {
      auto row = all.row();
      const auto id = row.integer();
      auto made = unless_damaged([&] {
        require_sound(row.boolean());
        SortedJson playoff = {{"type", "playoff"}, {"study", number}, {"finalists", SortedJson::array()}};
        playoff["session"] = session_name(row);
        playoff["held_ms"] = row.integer();
        return playoff;
      });
      if (!made) continue;
      SortedJson& record = *made;
      finalists.bind(id);
      while (finalists.step()) {
        auto each = finalists.row();
        if (!written_trials_.contains(each.integer())) continue;  // it goes with its trial
        auto finalist = unless_damaged([&] {
          require_sound(each.boolean());
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
    Statement all(database_, "SELECT kernel, fingerprint, " + is_sound(summed::kSpaces) + ", " +
                                 names_of(kSpaceFields) + " FROM spaces ORDER BY kernel, fingerprint");
    Statement find(database_, "SELECT id FROM studies WHERE kernel = ? AND fingerprint = ?");
    while (all.step()) {
      auto row = all.row();
      const std::string kernel = row.text();
      find.bind(kernel, row.text());
      bool is_used = false;
      while (find.step())
        is_used = is_used || std::ranges::find(studies, find.row().integer()) != studies.end();
      if (!is_used) continue;
      const auto parsed = unless_damaged([&] {
        require_sound(row.boolean());
        SortedJson record = {{"type", "space"}};
        read_columns(row, kSpaceFields, record);
        return record;
      });
      if (parsed) on_record_(*parsed);
    }
  }

  void read_portfolios(const std::vector<std::int64_t>& studies) {
    Statement all(database_, "SELECT " + is_sound(summed::kPortfolios, "p.") + " AND " +
                                 is_sound(summed::kDevices, "d.") + ", " + names_of(kPortfolioFields, "p.") +
                                 ", " + kDeviceColumns +
                                 ", (SELECT min(s.id) FROM studies s WHERE s.kernel = p.kernel"
                                 " AND s.fingerprint = p.fingerprint AND s.device_id = p.device_id)"
                                 " FROM portfolios p JOIN devices d ON d.id = p.device_id"
                                 " ORDER BY p.kernel, p.fingerprint, p.regime, p.objective, " +
                                 kDeviceColumns);
    while (all.step()) {
      auto row = all.row();
      const auto record = unless_damaged([&] {
        require_sound(row.boolean());
        SortedJson portfolio = {{"type", "portfolio"}};
        read_columns(row, kPortfolioFields, portfolio);
        portfolio["device"] = read_device_fields(row);
        return portfolio;
      });
      if (record && std::ranges::find(studies, row.integer()) != studies.end()) on_record_(*record);
    }
  }

  std::string session_name(sqlite::Row& row) const {
    std::string uuid = row.text();
    if (!written_sessions_.contains(uuid))
      throw sqlite::Failure("damaged: its session has no name, or is missing");
    return uuid;
  }

  const sqlite::Database& database_;
  const OnRecord& on_record_;
  Exported exported_;
  std::set<std::string> written_sessions_;
  std::set<std::int64_t> written_trials_;  // of the study that is being read
};

}  // namespace

Exported read_records(const sqlite::Database& database, const std::vector<std::int64_t>* studies,
                      const OnRecord& on_record) {
  return Reading(database, on_record).run(studies);
}

}  // namespace gktune

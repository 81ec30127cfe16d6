#include "db/store/removal.h"

#include <chrono>
#include <map>
#include <set>
#include <string>

#include "db/open.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/statement.h"
#include "db/sqlite/transaction.h"
#include "db/store/removal_queries.h"
#include "db/store/settle.h"

namespace gktune {
namespace {

using sqlite::Database;
using sqlite::Failure;
using sqlite::Statement;

std::int64_t now_unix_ms() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

// The trials to remove, in temporary tables of the connection.
class Doomed {
 public:
  explicit Doomed(Database& database) : database_(database) { database.execute(std::string(removal::kTables)); }

  // Runs a statement that adds trials to the list. Its first parameter is the study.
  template <class... Values>
  void add(std::int64_t study, std::string_view statement, const Values&... values) {
    // Each is compiled once: there may be thousands of studies.
    statements_.try_emplace(statement, database_, statement).first->second.bind(study, values...).run();
    if (database_.changes() > 0) note_study(study, false);
  }

  // False: there is no such trial.
  bool add_trial(std::int64_t trial) {
    Statement find(database_, "SELECT study_id FROM trials WHERE id = ?");
    if (!find.bind(trial).step()) return false;
    const std::int64_t study = find.row().integer();
    Statement(database_, "INSERT OR IGNORE INTO doomed VALUES (?)").bind(trial).run();
    note_study(study, false);
    return true;
  }

  // All of a study, also one without trials.
  void add_study(std::int64_t study) { note_study(study, true); }

  const std::set<std::int64_t>& studies() const { return studies_; }

 private:
  void note_study(std::int64_t study, bool is_whole) {
    if (!studies_.insert(study).second) return;
    statements_.try_emplace(kNote, database_, kNote).first->second.bind(study, is_whole).run();
  }

  static constexpr std::string_view kNote = "INSERT INTO doomed_studies VALUES (?, ?)";
  Database& database_;
  std::map<std::string_view, Statement> statements_;
  std::set<std::int64_t> studies_;
};

// A running session numbers its trials from those that it has stored.
void require_no_claims(const Database& database) {
  Statement claimed(database, removal::kClaims);
  if (claimed.bind(now_unix_ms()).step()) {
    throw Failure("a program tunes '" + claimed.row().text() + "' now; wait for its end");
  }
}

// The rows that go with the trials to remove.
Removed count(const Database& database) {
  const auto number = [&](std::string_view sql) {
    Statement select(database, sql);
    select.bind().step();
    return select.row().integer();
  };
  return {number(removal::kStudies), number(removal::kTrials), number(removal::kPlayoffs), std::nullopt};
}

// Sessions that have ended, and keep neither a trial nor a playoff. Returns their number.
std::int64_t remove_idle_sessions(const Database& database) {
  Statement(database,
            "DELETE FROM sessions WHERE ended_ms IS NOT NULL"
            " AND NOT EXISTS (SELECT 1 FROM trials t WHERE t.session_id = sessions.id)"
            " AND NOT EXISTS (SELECT 1 FROM playoffs p WHERE p.session_id = sessions.id)")
      .run();
  return database.changes();
}

// Gives the space of removed rows back to the file system.
void shrink(Database& database) {
  if (database.integer("PRAGMA freelist_count") * 4 > database.integer("PRAGMA page_count"))
    database.compact();
}

// `choose` fills the list of trials. A rehearsal only reads.
template <class Choose>
Result<Removed> remove(const std::filesystem::path& path, Removal removal, Choose choose) {
  return sqlite::guarded(path.string(), [&] {
    const bool is_rehearsed = removal == Removal::rehearsed;
    auto database =
        is_rehearsed ? open_for_reading(path, kLockPatience) : open_for_writing(path, kLockPatience);
    sqlite::Transaction transaction(
        database, is_rehearsed ? sqlite::Transaction::Kind::read : sqlite::Transaction::Kind::write);
    Doomed doomed(database);
    choose(doomed, database);
    require_no_claims(database);
    Removed removed = count(database);
    if (is_rehearsed) return removed;
    Statement(database, "DELETE FROM trials WHERE id IN (SELECT id FROM doomed)").run();
    Statement(database, "DELETE FROM trials WHERE study_id IN (SELECT id FROM doomed_studies WHERE is_whole)").run();
    settle(database, doomed.studies());
    removed.sessions = remove_idle_sessions(database);
    transaction.commit();
    shrink(database);
    return removed;
  });
}

}  // namespace

Result<Removed> remove_studies(const std::filesystem::path& path, const std::vector<std::int64_t>& studies,
                               Removal removal) {
  return remove(path, removal, [&](Doomed& doomed, const Database&) {
    for (const std::int64_t study : studies) doomed.add_study(study);
  });
}

Result<Removed> remove_trials(const std::filesystem::path& path, const std::vector<std::int64_t>& trials,
                              Removal removal) {
  return remove(path, removal, [&](Doomed& doomed, const Database&) {
    for (const std::int64_t trial : trials) {
      if (!doomed.add_trial(trial)) throw Failure("there is no trial " + std::to_string(trial));
    }
  });
}

Result<Removed> prune(const std::filesystem::path& path, const std::vector<std::int64_t>& studies,
                      const PruneRules& rules, Removal removal) {
  return remove(path, removal, [&](Doomed& doomed, const Database& database) {
    Statement is_outdated(database, removal::kIsOutdated);
    for (const std::int64_t study : studies) {
      if (rules.outdated && is_outdated.bind(study, rules.before_unix_ms).step()) {
        auto row = is_outdated.row();
        const bool is_earlier = row.boolean(), is_whole = row.boolean();
        if (is_earlier && is_whole) {
          doomed.add_study(study);
          continue;
        }
        if (is_earlier) doomed.add(study, removal::kOlder, rules.before_unix_ms);
      }
      if (rules.failed) {
        doomed.add(study, removal::kFailed, rules.before_unix_ms);
        if (database.changes() > 0) doomed.add(study, removal::kEarlierOfFailed);
      }
      if (rules.superseded) doomed.add(study, removal::kSuperseded, rules.before_unix_ms);
    }
  });
}

}  // namespace gktune

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

// The trials to remove, in a temporary table of the connection.
class Doomed {
 public:
  explicit Doomed(Database& database) : database_(database) { database.execute(std::string(removal::kTables)); }

  // The trials of a study, ?1, that meet a condition.
  template <class... Values>
  void add(std::int64_t study, const std::string& condition, const Values&... values) {
    // Each is compiled once: there may be thousands of studies.
    const auto choose = statements_.try_emplace(
        condition, database_, "INSERT OR IGNORE INTO doomed SELECT id FROM trials WHERE study_id = ?1 AND " + condition);
    choose.first->second.bind(study, values...).run();
    if (database_.changes() > 0) note_study(study);
  }

  // False: there is no such trial.
  bool add_trial(std::int64_t trial) {
    Statement find(database_, "SELECT study_id FROM trials WHERE id = ?");
    if (!find.bind(trial).step()) return false;
    const std::int64_t study = find.row().integer();
    Statement(database_, "INSERT OR IGNORE INTO doomed VALUES (?)").bind(trial).run();
    note_study(study);
    return true;
  }

  // Also without trials.
  void add_study(std::int64_t study) {
    note_study(study);
    add(study, "1");
  }

  const std::set<std::int64_t>& studies() const { return studies_; }

 private:
  void note_study(std::int64_t study) {
    studies_.insert(study);
    Statement(database_, "INSERT OR IGNORE INTO doomed_studies VALUES (?)").bind(study).run();
  }

  Database& database_;
  std::map<std::string, Statement> statements_;  // by their conditions
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
  return {number(removal::kStudies), number(removal::kTrials), number(removal::kPlayoffs), number(removal::kSessions)};
}

void remove_idle_sessions(const Database& database) {
  Statement(database,
            "DELETE FROM sessions WHERE ended_ms IS NOT NULL"
            " AND NOT EXISTS (SELECT 1 FROM trials t WHERE t.session_id = sessions.id)"
            " AND NOT EXISTS (SELECT 1 FROM playoffs p WHERE p.session_id = sessions.id)")
      .run();
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
    choose(doomed);
    require_no_claims(database);
    const Removed removed = count(database);
    if (is_rehearsed) return removed;
    Statement(database, "DELETE FROM trials WHERE id IN (SELECT id FROM doomed)").run();
    settle(database, doomed.studies());
    remove_idle_sessions(database);
    transaction.commit();
    shrink(database);
    return removed;
  });
}

}  // namespace

Result<Removed> remove_studies(const std::filesystem::path& path, const std::vector<std::int64_t>& studies,
                               Removal removal) {
  return remove(path, removal, [&](Doomed& doomed) {
    for (const std::int64_t study : studies) doomed.add_study(study);
  });
}

Result<Removed> remove_trials(const std::filesystem::path& path, const std::vector<std::int64_t>& trials,
                              Removal removal) {
  return remove(path, removal, [&](Doomed& doomed) {
    for (const std::int64_t trial : trials) {
      if (!doomed.add_trial(trial)) throw Failure("there is no trial " + std::to_string(trial));
    }
  });
}

Result<Removed> prune(const std::filesystem::path& path, const std::vector<std::int64_t>& studies,
                      const PruneRules& rules, Removal removal) {
  return remove(path, removal, [&](Doomed& doomed) {
    for (const std::int64_t study : studies) {
      if (rules.superseded) doomed.add(study, "is_current = 0 AND ended_ms < ?2", rules.before_unix_ms);
      // With the earlier trials of these configurations: one that went well would become the current one.
      if (rules.failed) {
        doomed.add(study,
                   "config IN (SELECT config FROM trials c WHERE c.study_id = ?1 AND c.is_current = 1"
                   " AND c.status <> 'ok' AND c.ended_ms < ?2)",
                   rules.before_unix_ms);
      }
      if (rules.outdated) {
        doomed.add(study,
                   "ended_ms < ?2 AND EXISTS (SELECT 1 FROM studies s JOIN studies o"
                   " ON o.kernel = s.kernel AND o.device_id = s.device_id AND o.fingerprint <> s.fingerprint"
                   " WHERE s.id = ?1 AND o.updated_ms > (SELECT max(v.updated_ms) FROM studies v"
                   "  WHERE v.kernel = s.kernel AND v.device_id = s.device_id AND v.fingerprint = s.fingerprint))",
                   rules.before_unix_ms);
      }
    }
  });
}

}  // namespace gktune

#include "db/store/removal.h"

#include <chrono>
#include <functional>
#include <limits>
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

constexpr auto kAnyTime = std::numeric_limits<std::int64_t>::max();

// What to remove from a study: the trials of each rule that ended before.
struct Doomed {
  std::int64_t study = 0;
  std::vector<removal::Rule> rules;
  bool is_whole = false;  // the study too if it has no trials
  std::int64_t before_unix_ms = kAnyTime;
};

// Statements that run for many studies: each is compiled once.
class Statements {
 public:
  explicit Statements(const Database& database) : database_(database) {}

  Statement& of(std::string_view sql) {
    const auto known = statements_.find(sql);
    if (known != statements_.end()) return known->second;
    return statements_.emplace(sql, Statement(database_, sql)).first->second;
  }

  template <class... Values>
  std::int64_t number(std::string_view sql, const Values&... values) {
    Statement& select = of(sql);
    select.bind(values...).step();
    return select.row().integer();
  }

 private:
  const Database& database_;
  std::map<std::string, Statement, std::less<>> statements_;
};

// A running session numbers its trials from those that it has stored.
void require_no_claims(Statements& statements, const Doomed& doomed) {
  Statement& claimed = statements.of(removal::claims_of(doomed.rules));
  if (claimed.bind(doomed.study, doomed.before_unix_ms, now_unix_ms()).step())
    throw Failure("a program tunes '" + claimed.row().text() + "' now; wait for its end");
}

// The rows that would go.
Removed count(Statements& statements, const Doomed& doomed) {
  Statement& study = statements.of(removal::kStudy);
  study.bind(doomed.study).step();
  auto row = study.row();
  const std::int64_t all = row.integer();
  const bool is_claimed = row.boolean();
  Removed removed;
  if (doomed.is_whole) {
    removed.trials = all;
  } else {
    for (const removal::Rule& rule : doomed.rules)
      removed.trials += statements.number(removal::count_of(rule), doomed.study, doomed.before_unix_ms);
    if (removed.trials == 0) return removed;
  }
  removed.playoffs =
      statements.number(removal::playoffs_of(doomed.rules), doomed.study, doomed.before_unix_ms);
  removed.studies = removed.trials == all && !is_claimed ? 1 : 0;
  return removed;
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

// Gives the space of removed rows back to the file system. Where there is no room for the copy that this
// takes, or another program writes, the file keeps its size: the rows are gone already.
void shrink(Database& database) {
  try {
    if (database.integer("PRAGMA freelist_count") * 4 > database.integer("PRAGMA page_count"))
      database.compact();
  } catch (const Failure& failure) {
    if (!failure.is_busy() && !failure.is_out_of_space()) throw;
  }
}

// `choose` tells what to remove. A rehearsal only reads.
template <class Choose>
Removed remove_from(Database& database, Removal removal, Choose choose) {
  const bool is_rehearsed = removal == Removal::rehearsed;
  sqlite::Transaction transaction(
      database, is_rehearsed ? sqlite::Transaction::Kind::read : sqlite::Transaction::Kind::write);
  std::vector<Doomed> doomed = choose(database);
  Statements statements(database);
  Removed removed;
  std::erase_if(doomed, [&](const Doomed& each) {
    const Removed of_study = count(statements, each);
    removed.studies += of_study.studies;
    removed.trials += of_study.trials;
    removed.playoffs += of_study.playoffs;
    return of_study.trials == 0 && !each.is_whole;
  });
  for (const Doomed& each : doomed) require_no_claims(statements, each);
  if (is_rehearsed) return removed;
  std::set<std::int64_t> studies;
  for (const Doomed& each : doomed) {
    for (const removal::Rule& rule : each.rules)
      statements.of(removal::removal_of(rule)).bind(each.study, each.before_unix_ms).run();
    studies.insert(each.study);
  }
  settle(database, studies);
  removed.sessions = remove_idle_sessions(database);
  transaction.commit();
  return removed;
}

template <class Choose>
Result<Removed> remove(const std::filesystem::path& path, Removal removal, Choose choose) {
  return sqlite::guarded(path.string(), [&] {
    const bool is_rehearsed = removal == Removal::rehearsed;
    auto database =
        is_rehearsed ? open_for_reading(path, kLockPatience) : open_for_writing(path, kLockPatience);
    Removed removed = remove_from(database, removal, choose);
    if (!is_rehearsed) shrink(database);  // once no statement reads
    return removed;
  });
}

}  // namespace

Result<Removed> remove_studies(const std::filesystem::path& path, const std::vector<std::int64_t>& studies,
                               Removal removal) {
  return remove(path, removal, [&](const Database&) {
    std::vector<Doomed> doomed;
    for (const std::int64_t study : std::set(studies.begin(), studies.end()))
      doomed.push_back({.study = study, .rules = {removal::kWhole}, .is_whole = true});
    return doomed;
  });
}

Result<Removed> remove_trials(const std::filesystem::path& path, const std::vector<std::int64_t>& trials,
                              Removal removal) {
  return remove(path, removal, [&](Database& database) {
    database.execute(std::string(removal::kList));
    Statement find(database, "SELECT study_id FROM trials WHERE id = ?");
    Statement add(database, "INSERT OR IGNORE INTO listed VALUES (?, ?)");
    std::set<std::int64_t> studies;
    for (const std::int64_t trial : trials) {
      if (!find.bind(trial).step()) throw Failure("there is no trial " + std::to_string(trial));
      const std::int64_t study = find.row().integer();
      add.bind(study, trial).run();
      studies.insert(study);
    }
    std::vector<Doomed> doomed;
    for (const std::int64_t study : studies) doomed.push_back({.study = study, .rules = {removal::kListed}});
    return doomed;
  });
}

Result<Removed> prune(const std::filesystem::path& path, const std::vector<std::int64_t>& studies,
                      const PruneRules& rules, Removal removal) {
  return remove(path, removal, [&](const Database& database) {
    std::vector<Doomed> doomed;
    Statement is_outdated(database, removal::kIsOutdated);
    for (const std::int64_t study : studies) {
      Doomed& each = doomed.emplace_back();
      each.study = study;
      each.before_unix_ms = rules.before_unix_ms;
      bool is_earlier = false;
      if (rules.outdated && is_outdated.bind(study, rules.before_unix_ms).step()) {
        auto row = is_outdated.row();
        is_earlier = row.boolean();
        each.is_whole = row.boolean() && is_earlier;
      }
      if (each.is_whole) {
        each.rules = {removal::kWhole};
        continue;
      }
      const bool is_superseded = rules.superseded || is_earlier;
      // The earlier trials are found by the failures, which go after them.
      if (rules.failed)
        each.rules.push_back(is_superseded ? removal::kLaterOfFailed : removal::kEarlierOfFailed);
      if (is_superseded) each.rules.push_back(removal::kSuperseded);
      if (is_earlier) {
        each.rules.push_back(removal::kCurrent);
      } else if (rules.failed) {
        each.rules.push_back(removal::kFailed);
      }
    }
    return doomed;
  });
}

}  // namespace gktune

#include "db/store/removal.h"

#include <chrono>
#include <set>
#include <string>

#include "db/open.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/statement.h"
#include "db/sqlite/transaction.h"
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
  explicit Doomed(Database& database) : database_(database) {
    database.execute("CREATE TEMP TABLE IF NOT EXISTS doomed (id INTEGER PRIMARY KEY); DELETE FROM doomed");
  }

  template <class... Values>
  void add(const std::string& condition, const Values&... values) {
    Statement(database_, "INSERT OR IGNORE INTO doomed SELECT id FROM trials WHERE " + condition)
        .bind(values...)
        .run();
  }

  // Also without trials.
  void add_study(std::int64_t study) {
    studies_.insert(study);
    add("study_id = ?", study);
  }

  std::set<std::int64_t> studies() const {
    std::set<std::int64_t> all = studies_;
    Statement select(database_, "SELECT DISTINCT t.study_id FROM doomed d JOIN trials t ON t.id = d.id");
    while (select.step()) all.insert(select.row().integer());
    return all;
  }

 private:
  Database& database_;
  std::set<std::int64_t> studies_;
};

// A running session numbers its trials from those that it has stored.
void require_no_claims(const Database& database) {
  Statement claimed(
      database,
      "SELECT s.kernel FROM claims c JOIN studies s ON s.id = c.study_id WHERE c.expires_ms > ?1"
      " AND (c.study_id IN (SELECT t.study_id FROM doomed d JOIN trials t ON t.id = d.id)"
      "  OR c.session_id IN (SELECT t.session_id FROM doomed d JOIN trials t ON t.id = d.id)) LIMIT 1");
  if (claimed.bind(now_unix_ms()).step()) {
    throw Failure("a program tunes '" + claimed.row().text() + "' now; wait for its end");
  }
}

struct Totals {
  std::int64_t studies, trials, playoffs, sessions;
};

Totals totals(Database& database) {
  return {database.integer("SELECT count(*) FROM studies"), database.integer("SELECT count(*) FROM trials"),
          database.integer("SELECT count(*) FROM playoffs"),
          database.integer("SELECT count(*) FROM sessions")};
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

// `choose` fills the list of trials and returns the studies to remove with all their rows.
template <class Choose>
Result<Removed> remove(const std::filesystem::path& path, Removal removal, Choose choose) {
  return sqlite::guarded(path.string(), [&] {
    auto database = open_for_writing(path, std::chrono::seconds(10));
    sqlite::Transaction transaction(database, sqlite::Transaction::Kind::write);
    Doomed doomed(database);
    const Totals before = totals(database);
    choose(database, doomed);
    require_no_claims(database);
    const auto studies = doomed.studies();
    Statement(database, "DELETE FROM trials WHERE id IN (SELECT id FROM doomed)").run();
    settle(database, studies);
    remove_idle_sessions(database);
    const Totals after = totals(database);
    if (removal == Removal::done) {
      transaction.commit();
      shrink(database);
    }
    return Removed{before.studies - after.studies, before.trials - after.trials,
                   before.playoffs - after.playoffs, before.sessions - after.sessions};
  });
}

}  // namespace

Result<Removed> remove_studies(const std::filesystem::path& path, const std::vector<std::int64_t>& studies,
                               Removal removal) {
  return remove(path, removal, [&](const Database&, Doomed& doomed) {
    for (const std::int64_t study : studies) doomed.add_study(study);
  });
}

Result<Removed> remove_trials(const std::filesystem::path& path, const std::vector<std::int64_t>& trials,
                              Removal removal) {
  return remove(path, removal, [&](const Database& database, Doomed& doomed) {
    Statement find(database, "SELECT 1 FROM trials WHERE id = ?");
    for (const std::int64_t trial : trials) {
      if (!find.bind(trial).step()) throw Failure("there is no trial " + std::to_string(trial));
      doomed.add("id = ?", trial);
    }
  });
}

Result<Removed> prune(const std::filesystem::path& path, const std::vector<std::int64_t>& studies,
                      const PruneRules& rules, Removal removal) {
  return remove(path, removal, [&](const Database&, Doomed& doomed) {
    for (const std::int64_t study : studies) {
      if (rules.superseded)
        doomed.add("study_id = ? AND is_current = 0 AND ended_ms < ?", study, rules.before_unix_ms);
      // With the earlier trials of these configurations: one that went well would become the current one.
      if (rules.failed) {
        doomed.add(
            "study_id = ?1 AND config IN (SELECT config FROM trials c WHERE c.study_id = ?1 AND c.is_current "
            "= 1"
            " AND c.status <> 'ok' AND c.ended_ms < ?2)",
            study, rules.before_unix_ms);
      }
      if (rules.outdated) {
        doomed.add(
            "study_id = ?1 AND ended_ms < ?2 AND EXISTS (SELECT 1 FROM studies s JOIN studies o"
            " ON o.kernel = s.kernel AND o.device_id = s.device_id AND o.fingerprint <> s.fingerprint"
            " WHERE s.id = ?1 AND o.updated_ms > (SELECT max(v.updated_ms) FROM studies v WHERE v.kernel = "
            "s.kernel"
            "  AND v.device_id = s.device_id AND v.fingerprint = s.fingerprint))",
            study, rules.before_unix_ms);
      }
    }
  });
}

}  // namespace gktune

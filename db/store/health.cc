#include "db/store/health.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "db/open.h"
#include "db/schema.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/statement.h"
#include "db/sqlite/transaction.h"
#include "db/store/row_check.h"
#include "db/store/settle.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

using sqlite::Database;
using sqlite::Failure;
using sqlite::Statement;

// The most findings of one kind; more would hide the others.
constexpr std::size_t kMostFindings = 20;

void add(std::vector<std::string>& findings, std::string finding) {
  if (findings.size() < kMostFindings) findings.push_back(std::move(finding));
}

// Rows that contradict each other. Each query returns a text for each.
constexpr const char* kContradictions[] = {
    "SELECT 'row ' || rowid || ' of ' || \"table\" || ' refers to a missing row of ' || parent"
    " FROM pragma_foreign_key_check",
    "SELECT 'study ' || study_id || ': ' || config || ' has no current trial' FROM trials"
    " GROUP BY study_id, config HAVING max(is_current) = 0",
    "SELECT 'study ' || study_id || ': the counts of its trials are wrong' FROM"
    " (SELECT study_id, is_current, status, count(*) AS trials FROM trials GROUP BY 1, 2, 3 EXCEPT"
    "  SELECT study_id, is_current, status, trials FROM study_counts)",
    "SELECT 'study ' || c.study_id || ': the counts of its trials are wrong' FROM study_counts c WHERE "
    "trials <> 0"
    " AND NOT EXISTS (SELECT 1 FROM trials t WHERE t.study_id = c.study_id AND t.is_current = c.is_current"
    "  AND t.status = c.status)",
    "SELECT 'playoff ' || id || ' has no winner' FROM playoffs p"
    " WHERE NOT EXISTS (SELECT 1 FROM finalists f WHERE f.playoff_id = p.id AND f.place = 1)",
    "SELECT 'finalist ' || f.id || ' is a trial of another study' FROM finalists f"
    " JOIN playoffs p ON p.id = f.playoff_id JOIN trials t ON t.id = f.trial_id WHERE t.study_id <> "
    "p.study_id",
    "SELECT 'study ' || v.study_id || ': its stored winner is not its winner' FROM winner_view v"
    " LEFT JOIN winners w ON w.study_id = v.study_id"
    " WHERE v.trial_id IS NOT w.trial_id OR v.finalist_id IS NOT w.finalist_id",
    "SELECT 'study ' || w.study_id || ': its stored winner is damaged' FROM winners w"
    " JOIN trials t ON t.id = w.trial_id LEFT JOIN finalists f ON f.id = w.finalist_id"
    " WHERE w.config <> t.config OR w.median_us IS NOT CASE WHEN f.id IS NULL THEN t.median_us ELSE "
    "f.median_us END",
};

// The tables in the order in which rows refer to each other, and an index that lists all rows of the table.
struct Table {
  const char* name;
  const char* index;
  // Reads rows through the index alone; nullptr: it does not hold enough of them.
  const char* from_index;
};
constexpr Table kTables[] = {
    {"devices", "sqlite_autoindex_devices_1",
     "SELECT id, kind, name, architecture, multiprocessors FROM devices INDEXED BY "
     "sqlite_autoindex_devices_1"},
    {"studies", "sqlite_autoindex_studies_1",
     "SELECT id, kernel, fingerprint, device_id, problem, regime, objective FROM studies"
     " INDEXED BY sqlite_autoindex_studies_1"},
    {"sessions", "sqlite_autoindex_sessions_1",
     "SELECT id, uuid, '' AS tool_version, '' AS host_name, '' AS driver, '' AS runtime, '' AS compiler,"
     " '' AS command_line, 0 AS begun_ms FROM sessions INDEXED BY sqlite_autoindex_sessions_1"},
    {"trials", "sqlite_autoindex_trials_1", nullptr},
    {"playoffs", "playoffs_by_session", nullptr},
    {"finalists", "finalists_by_trial", nullptr},
    {"portfolios", "sqlite_autoindex_portfolios_1", nullptr},
};

bool has_table(const Database& database, const char* name) {
  Statement find(database, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  return find.bind(name).step();
}

std::string columns_of(const Database& database, const char* table) {
  Statement select(database, "SELECT name FROM pragma_table_info(?)");
  std::string columns;
  select.bind(table);
  while (select.step()) columns += (columns.empty() ? "" : ", ") + select.row().text();
  return columns;
}

// Copies rows of one table and survives the damaged pages of its source.
class RowCopy {
 public:
  RowCopy(const Database& source, const Database& target, const Table& table, Repair& repair)
      : source_(source), target_(target), table_(table), repair_(repair) {}

  void run() {
    find_ids();
    copy_all();
    if (table_.from_index != nullptr) complete_from_index();
    auto& counts = repair_.tables[table_.name];
    counts.kept = static_cast<std::int64_t>(copied_.size());
    for (const std::int64_t id : known_) counts.lost += copied_.contains(id) ? 0 : 1;
    counts.lost += refused_;
  }

 private:
  // Every id that the index lists, as far as it can be read.
  void find_ids() {
    try {
      Statement select(source_, std::string("SELECT id FROM ") + table_.name + " INDEXED BY " + table_.index);
      while (select.step()) known_.insert(select.row().integer());
    } catch (const Failure& failure) {
      add(repair_.findings, std::string("index ") + table_.index + ": " + failure.what());
    }
    if (!known_.empty()) last_ = *known_.rbegin();
    try {
      Statement select(source_, "SELECT seq FROM sqlite_sequence WHERE name = ?");
      if (select.bind(table_.name).step()) last_ = std::max(last_, select.row().integer());
    } catch (const Failure&) {
      // Schema 1 counted no other table.
    }
  }

  void copy_all() {
    const std::string columns = columns_of(target_, table_.name);
    Statement scan(source_,
                   "SELECT " + columns + " FROM " + table_.name + " NOT INDEXED WHERE id > ? ORDER BY id");
    Statement find(source_, "SELECT " + columns + " FROM " + table_.name + " NOT INDEXED WHERE id = ?");
    Statement insert(target_, insert_sql(columns));
    std::int64_t at = 0;
    while (true) {
      try {
        scan.bind(at);
        while (scan.step()) at = take(scan, insert);
        return;
      } catch (const Failure& failure) {
        add(repair_.findings,
            std::string(table_.name) + " after row " + std::to_string(at) + ": " + failure.what());
      }
      // Look for the first row behind the damage.
      bool is_found = false;
      while (!is_found && at < last_) {
        ++at;
        try {
          is_found = find.bind(at).step();
          if (is_found) take(find, insert);
        } catch (const Failure&) {
        }
      }
      if (!is_found) return;
    }
  }

  void complete_from_index() {
    try {
      Statement select(source_, table_.from_index);
      const std::string columns = joined(select.column_names());
      Statement insert(target_, insert_sql(columns));
      while (select.step()) {
        const auto id = select.row().integer();
        if (copied_.contains(id)) continue;
        take(select, insert);
        add(repair_.findings,
            std::string(table_.name) + " " + std::to_string(id) + " was completed from an index");
      }
    } catch (const Failure& failure) {
      add(repair_.findings, std::string("index ") + table_.index + ": " + failure.what());
    }
  }

  std::string insert_sql(const std::string& columns) const {
    const auto count = std::ranges::count(columns, ',') + 1;
    std::string marks;
    for (int i = 0; i < count; ++i) marks += i == 0 ? "?" : ", ?";
    return std::string("INSERT INTO ") + table_.name + " (" + columns + ") VALUES (" + marks + ")";
  }

  // Returns the row's id. A row that breaks the rules of its table is lost.
  std::int64_t take(Statement& source, Statement& insert) {
    const auto id = source.row().integer();
    try {
      insert.bind_row(source).run();
      copied_.insert(id);
    } catch (const Failure& failure) {
      if (!known_.contains(id)) ++refused_;
      add(repair_.findings, std::string(table_.name) + " " + std::to_string(id) + ": " + failure.what());
    }
    return id;
  }

  const Database& source_;
  const Database& target_;
  const Table& table_;
  Repair& repair_;
  std::set<std::int64_t> known_, copied_;
  std::int64_t last_ = 0, refused_ = 0;
};

std::int64_t rows_of(const Database& database, const std::string& table) {
  Statement count(database, "SELECT count(*) FROM " + table);
  count.bind().step();
  return count.row().integer();
}

// Removes the rows that are damaged in themselves, and the rows that refer to them.
void remove_damaged(const Database& database, const std::string& table, Repair& repair) {
  std::vector<std::int64_t> damaged;
  check_rows(database, table, 0, [&](std::int64_t id, const std::string& damage, bool) {
    if (damage.empty()) return;
    damaged.push_back(id);
    add(repair.findings, table + " " + std::to_string(id) + ": " + damage);
  });
  Statement remove(database, "DELETE FROM " + table + " WHERE id = ?");
  for (const std::int64_t id : damaged) remove.bind(id).run();
  for (auto& [name, counts] : repair.tables) {
    const std::int64_t left = name == "spaces" ? counts.kept : rows_of(database, name);
    counts.lost += counts.kept - left;
    counts.kept = left;
  }
}

std::set<std::int64_t> all_studies(const Database& database) {
  std::set<std::int64_t> all;
  Statement select(database, "SELECT id FROM studies");
  while (select.step()) all.insert(select.row().integer());
  return all;
}

Repair copy_readable(const Database& source, Database& target) {
  Repair repair;
  for (const Table& table : kTables) {
    if (has_table(source, table.name) && has_table(target, table.name))
      RowCopy(source, target, table, repair).run();
  }
  // Has no ids.
  if (has_table(source, "spaces") && has_table(target, "spaces")) {
    auto& counts = repair.tables["spaces"];
    try {
      Statement all(source, "SELECT kernel, fingerprint, matching, constraints, default_config FROM spaces");
      Statement insert(target, "INSERT OR IGNORE INTO spaces VALUES (?, ?, ?, ?, ?)");
      for (; all.step(); ++counts.kept) insert.bind_row(all).run();
    } catch (const Failure& failure) {
      add(repair.findings, std::string("spaces: ") + failure.what());
    }
  }
  return repair;
}

}  // namespace

Result<Health> check_database(const std::filesystem::path& path) {
  return sqlite::guarded(path.string(), [&] {
    auto database = open_for_reading(path, kLockPatience);
    Health health;
    try {
      database.verify();
    } catch (const Failure& failure) {
      add(health.findings, failure.what());
    }
    for (const std::string_view table : {"trials", "finalists", "studies"}) {
      try {
        check_rows(database, std::string(table), 0, [&](std::int64_t id, const std::string& damage, bool has_checksum) {
          const bool is_trial = table == "trials", is_finalist = table == "finalists";
          health.trials += is_trial ? 1 : 0;
          health.finalists += is_finalist ? 1 : 0;
          if (!has_checksum && (is_trial || is_finalist)) ++health.without_checksum;
          if (!damage.empty())
            add(health.findings, std::string(table) + " " + std::to_string(id) + ": " + damage);
        });
      } catch (const Failure& failure) {
        add(health.findings, std::string(table) + ": " + failure.what());
      }
    }
    for (const char* sql : kContradictions) {
      try {
        Statement select(database, sql);
        while (select.step()) add(health.findings, select.row().text());
      } catch (const Failure& failure) {
        add(health.findings, failure.what());
      }
    }
    return health;
  });
}

Result<Repair> repair_database(const std::filesystem::path& damaged, const std::filesystem::path& repaired) {
  if (std::error_code error; std::filesystem::exists(repaired, error))
    return Error{repaired.string() + ": exists; name a new file"};
  auto repair = sqlite::guarded(damaged.string(), [&] {
    Database source = open_damaged(damaged, kLockPatience);
    Repair all;
    {
      Database target(repaired, Database::Access::create, kLockPatience);
      target.execute("PRAGMA synchronous = OFF");  // the second transaction brings everything to the disk
      const auto version = static_cast<std::size_t>(source.integer("PRAGMA user_version"));
      migrate(target, schema_steps().first(version));
      // Rows whose study or session is lost stay out.
      sqlite::Transaction transaction(target, sqlite::Transaction::Kind::write);
      all = copy_readable(source, target);
      transaction.commit();
    }
    Database target = open_for_writing(repaired, kLockPatience);
    sqlite::Transaction transaction(target, sqlite::Transaction::Kind::write);
    for (const char* table : {"studies", "trials", "finalists"}) remove_damaged(target, table, all);
    settle(target, all_studies(target));
    transaction.commit();
    return all;
  });
  if (!repair) {
    std::error_code ignored;
    for (const char* suffix : {"", "-wal", "-shm", "-journal"})
      std::filesystem::remove(repaired.string() + suffix, ignored);
  }
  return repair;
}

}  // namespace gktune

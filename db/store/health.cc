#include "db/store/health.h"

#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <string_view>

#include "db/open.h"
#include "db/row_sums.h"
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

// Findings of one kind: the first of them, and the number of the others.
class Findings {
 public:
  explicit Findings(std::vector<std::string>& all) : all_(all) {}
  Findings(const Findings&) = delete;
  Findings& operator=(const Findings&) = delete;
  ~Findings() {
    if (count_ > kMostFindings) all_.push_back("… and " + std::to_string(count_ - kMostFindings) + " more like these");
  }
  void add(std::string finding) {
    if (++count_ <= kMostFindings) all_.push_back(std::move(finding));
  }

 private:
  std::vector<std::string>& all_;
  std::size_t count_ = 0;
};

// Rows that contradict each other. Each query returns a text for each.
constexpr const char* kContradictions[] = {
    // A table without row ids gives none.
    "SELECT CASE WHEN rowid IS NULL THEN 'a row' ELSE 'row ' || rowid END || ' of ' || \"table\" ||"
    " ' refers to a missing row of ' || parent FROM pragma_foreign_key_check",
    "SELECT 'study ' || study_id || ': ' || config || ' has no current trial' FROM trials"
    " GROUP BY study_id, config HAVING max(is_current) = 0",
    "SELECT 'study ' || study_id || ': the counts of its trials are wrong' FROM"
    " (SELECT study_id, is_current, status, count(*) AS trials FROM trials GROUP BY 1, 2, 3 EXCEPT"
    "  SELECT study_id, is_current, status, trials FROM study_counts)",
    "SELECT 'study ' || c.study_id || ': the counts of its trials are wrong' FROM study_counts c WHERE "
    "trials <> 0"
    " AND NOT EXISTS (SELECT 1 FROM trials t WHERE t.study_id = c.study_id AND t.is_current = c.is_current"
    "  AND t.status = c.status)",
    "SELECT 'study ' || c.study_id || ': the seconds of its trials are wrong' FROM study_counts c JOIN"
    " (SELECT study_id, is_current, status, total(compile_s) AS compile_s, total(run_s) AS run_s FROM trials GROUP BY 1, 2, 3) t"
    " ON t.study_id = c.study_id AND t.is_current = c.is_current AND t.status = c.status"
    " WHERE abs(t.compile_s - c.compile_s) > 1e-6 * (1 + t.compile_s) OR abs(t.run_s - c.run_s) > 1e-6 * (1 + t.run_s)",
    "SELECT 'study ' || s.id || ': its time is not that of its latest trial' FROM studies s"
    " WHERE s.updated_ms <> (SELECT coalesce(max(t.ended_ms), 0) FROM trials t WHERE t.study_id = s.id)",
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

// The tables to copy, in the order in which rows refer to each other, and an index that lists all rows of the table.
struct Table {
  const SummedTable& sums;
  const char* index;
  // Reads the identity of rows through the index alone; nullptr: it does not hold enough of it.
  const char* from_index = nullptr;
  // True: a row of which nothing but its identity is known still serves.
  bool may_be_unknown = false;
  // A column whose value follows from other rows, and the query that finds it. ?1: the row.
  const char* derived = nullptr;
  const char* derivation = nullptr;

  std::string name() const { return std::string(sums.name); }
};
constexpr Table kTables[] = {
    {summed::kDevices, "sqlite_autoindex_devices_1",
     "SELECT id, kind, name, architecture, multiprocessors FROM devices INDEXED BY "
     "sqlite_autoindex_devices_1"},
    {summed::kStudies, "sqlite_autoindex_studies_1",
     "SELECT id, kernel, fingerprint, device_id, problem, regime, objective FROM studies"
     " INDEXED BY sqlite_autoindex_studies_1",
     false, "updated_ms", "SELECT coalesce(max(ended_ms), 0) FROM trials WHERE study_id = ?1"},
    {summed::kSessions, "sqlite_autoindex_sessions_1",
     "SELECT id, coalesce(nullif(uuid, ''), lower(hex(randomblob(16)))) AS uuid, '' AS tool_version, '' AS host_name, '' AS driver, '' AS runtime, '' AS compiler,"
     " '' AS command_line, 0 AS begun_ms FROM sessions INDEXED BY sqlite_autoindex_sessions_1",
     true},
    {summed::kTrials, "sqlite_autoindex_trials_1"},
    {summed::kPlayoffs, "playoffs_by_session"},
    {summed::kFinalists, "finalists_by_trial"},
    {summed::kPortfolios, "sqlite_autoindex_portfolios_1"},
};

// True: the file is of a schema whose rows all have checksums.
bool has_all_checksums(const Database& database) {
  Statement find(database, "SELECT 1 FROM pragma_table_info('devices') WHERE name = 'checksum'");
  return find.bind().step();
}

bool has_table(const Database& database, std::string_view name) {
  Statement find(database, "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?");
  return find.bind(name).step();
}

std::string columns_of(const Database& database, const std::string& table) {
  Statement select(database, "SELECT name FROM pragma_table_info(?)");
  std::string columns;
  select.bind(table);
  while (select.step()) columns += (columns.empty() ? "" : ", ") + select.row().text();
  return columns;
}

// "?, …", one for each of the columns.
std::string question_marks(const std::string& columns) {
  std::string marks = "?";
  for (auto more = std::ranges::count(columns, ','); more > 0; --more) marks += ", ?";
  return marks;
}

// Copies rows of one table and survives the damaged pages of its source.
class RowCopy {
 public:
  RowCopy(const Database& source, const Database& target, const Table& table, Repair& repair)
      : source_(source), target_(target), table_(table), name_(table.name()), repair_(repair) {
    if (has_all_checksums(target))
      is_damaged_.emplace(target, "SELECT 1 FROM " + name_ + " WHERE id = ? AND NOT " + is_sound(table.sums));
  }

  void run() {
    find_ids();
    copy_all();
    if (table_.from_index != nullptr) complete_from_index();
    auto& counts = repair_.tables[name_];
    counts.kept = static_cast<std::int64_t>(copied_.size());
    for (const std::int64_t id : known_) counts.lost += copied_.contains(id) ? 0 : 1;
    counts.lost += refused_;
  }

 private:
  // Every id that the index lists, as far as it can be read.
  void find_ids() {
    try {
      Statement select(source_, "SELECT id FROM " + name_ + " INDEXED BY " + table_.index);
      while (select.step()) known_.insert(select.row().integer());
    } catch (const Failure& failure) {
      add(repair_.findings, std::string("index ") + table_.index + ": " + failure.what());
    }
    if (!known_.empty()) last_ = *known_.rbegin();
    try {
      Statement select(source_, "SELECT seq FROM sqlite_sequence WHERE name = ?");
      if (select.bind(name_).step()) last_ = std::max(last_, select.row().integer());
    } catch (const Failure&) {
      // Schema 1 counted no other table.
    }
  }

  void copy_all() {
    const std::string columns = columns_of(target_, name_);
    Statement scan(source_,
                   "SELECT " + columns + " FROM " + name_ + " NOT INDEXED WHERE id > ? ORDER BY id");
    Statement find(source_, "SELECT " + columns + " FROM " + name_ + " NOT INDEXED WHERE id = ?");
    Statement insert(target_, insert_sql(columns));
    std::int64_t at = 0;
    while (true) {
      try {
        scan.bind(at);
        while (scan.step()) at = take(scan, insert);
        return;
      } catch (const Failure& failure) {
        add(repair_.findings,
            name_ + " after row " + std::to_string(at) + ": " + failure.what());
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

  // Rows on damaged pages, and rows that are damaged in themselves.
  void complete_from_index() {
    try {
      Statement select(source_, table_.from_index);
      const std::string columns = joined(select.column_names());
      Statement insert(target_, insert_sql(columns));
      while (select.step()) {
        const auto id = select.row().integer();
        if (copied_.contains(id)) continue;
        const bool is_identity_enough = table_.may_be_unknown || !damaged_.contains(id);
        if (is_identity_enough ? add_identity(select, insert) : restore(id, select, columns))
          add(repair_.findings, name_ + " " + std::to_string(id) + " was completed from an index");
      }
    } catch (const Failure& failure) {
      add(repair_.findings, std::string("index ") + table_.index + ": " + failure.what());
    }
  }

  // Adds a row of which the index is all that is known.
  bool add_identity(Statement& from_index, Statement& insert) {
    const auto id = take(from_index, insert, Checksum::missing);
    if (is_damaged_) Statement(target_, seal(table_.sums, "id = ?")).bind(id).run();
    return copied_.contains(id);
  }

  // Adds a damaged row whose identity comes from the index. False: that does not give the row its checksum.
  bool restore(std::int64_t id, const Statement& from_index, const std::string& columns) {
    const std::string all = columns_of(target_, name_);
    Statement find(source_, "SELECT " + all + " FROM " + name_ + " NOT INDEXED WHERE id = ?");
    if (!find.bind(id).step()) return false;
    Statement(target_, insert_sql(all)).bind_row(find).run();
    Statement(target_, "UPDATE " + name_ + " SET (" + columns + ") = (" + question_marks(columns) + ") WHERE id = ?1")
        .bind_row(from_index)
        .run();
    if (is_damaged_->bind(id).step() && table_.derived != nullptr) {
      Statement derive(source_, table_.derivation);
      derive.bind(id).step();
      Statement(target_, "UPDATE " + name_ + " SET " + table_.derived + " = ? WHERE id = ?")
          .bind(derive.row().integer(), id)
          .run();
    }
    if (is_damaged_->bind(id).step()) {
      Statement(target_, "DELETE FROM " + name_ + " WHERE id = ?").bind(id).run();
      return false;
    }
    copied_.insert(id);
    return true;
  }

  std::string insert_sql(const std::string& columns) const {
    return "INSERT INTO " + name_ + " (" + columns + ") VALUES (" + question_marks(columns) + ")";
  }

  enum class Checksum { copied, missing };

  // Returns the row's id. A row that breaks the rules of its table is lost.
  std::int64_t take(Statement& source, Statement& insert, Checksum checksum = Checksum::copied) {
    const auto id = source.row().integer();
    try {
      insert.bind_row(source).run();
      if (checksum == Checksum::copied && is_damaged_ && is_damaged_->bind(id).step()) {
        Statement(target_, "DELETE FROM " + name_ + " WHERE id = ?").bind(id).run();
        damaged_.insert(id);
        known_.insert(id);
        throw Failure("its checksum differs");
      }
      copied_.insert(id);
    } catch (const Failure& failure) {
      if (!known_.contains(id)) ++refused_;
      add(repair_.findings, name_ + " " + std::to_string(id) + ": " + failure.what());
    }
    return id;
  }

  const Database& source_;
  const Database& target_;
  const Table& table_;
  const std::string name_;
  Repair& repair_;
  std::optional<Statement> is_damaged_;  // finds a damaged row of the target; without a value in a schema that lacks checksums
  std::set<std::int64_t> known_, copied_, damaged_;
  std::int64_t last_ = 0, refused_ = 0;
};

std::int64_t rows_of(const Database& database, const std::string& table) {
  Statement count(database, "SELECT count(*) FROM " + table);
  count.bind().step();
  return count.row().integer();
}

// The rows that are damaged in themselves. Says so in the findings.
std::vector<CheckedRow> damaged_rows(const Database& database, const std::string& table, Repair& repair) {
  std::vector<CheckedRow> damaged;
  check_rows(database, table, [&](const CheckedRow& row) {
    if (row.damage.empty()) return;
    damaged.push_back(row);
    add(repair.findings, row.name + ": " + row.damage);
  });
  return damaged;
}

// Trials need their sessions, whose figures may be unknown.
void forget_damaged_figures(const Database& database, Repair& repair) {
  for (const CheckedRow& row : damaged_rows(database, "sessions", repair)) {
    Statement(database, "UPDATE sessions SET figures = NULL WHERE id = ?").bind(row.id).run();
    Statement(database, seal(summed::kSessions, "id = ?")).bind(row.id).run();
  }
}

// Removes the rows that are damaged in themselves, and the rows that refer to them.
void remove_damaged(const Database& database, const std::string& table, Repair& repair) {
  for (const CheckedRow& row : damaged_rows(database, table, repair)) remove_row(database, table, row);
  for (auto& [name, counts] : repair.tables) {
    const std::int64_t left = rows_of(database, name);
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

// The rows of spaces have no ids. Reading from both ends finds the rows on both sides of a damaged page.
void copy_spaces(const Database& source, const Database& target, Repair& repair) {
  auto& counts = repair.tables["spaces"];
  const std::string columns = columns_of(target, "spaces");
  for (const char* order : {"ASC", "DESC"}) {
    try {
      Statement all(source, "SELECT " + columns + " FROM spaces ORDER BY kernel " + order + ", fingerprint " + order);
      Statement insert(target, "INSERT OR IGNORE INTO spaces (" + columns + ") VALUES (" + question_marks(columns) + ")");
      while (all.step()) insert.bind_row(all).run();
      break;
    } catch (const Failure& failure) {
      add(repair.findings, std::string("spaces: ") + failure.what());
    }
  }
  if (has_all_checksums(target)) {
    Statement(target, "DELETE FROM spaces WHERE NOT " + is_sound(summed::kSpaces)).run();
    counts.lost = target.changes();
    if (counts.lost > 0) add(repair.findings, "spaces: the checksums of " + std::to_string(counts.lost) + " rows differ");
  }
  counts.kept = rows_of(target, "spaces");
}

Repair copy_readable(const Database& source, Database& target) {
  Repair repair;
  for (const Table& table : kTables) {
    if (has_table(source, table.sums.name) && has_table(target, table.sums.name))
      RowCopy(source, target, table, repair).run();
  }
  if (has_table(source, "spaces") && has_table(target, "spaces")) copy_spaces(source, target, repair);
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
    for (const SummedTable& table : summed::kAll) {
      Findings findings(health.findings);
      try {
        check_rows(database, table.name, [&](const CheckedRow& row) {
          health.trials += table.name == "trials" ? 1 : 0;
          health.finalists += table.name == "finalists" ? 1 : 0;
          if (!row.damage.empty()) findings.add(row.name + ": " + row.damage);
        });
      } catch (const Failure& failure) {
        findings.add(std::string(table.name) + ": " + failure.what());
      }
    }
    for (const char* sql : kContradictions) {
      Findings findings(health.findings);
      try {
        Statement select(database, sql);
        while (select.step()) findings.add(select.row().text());
      } catch (const Failure& failure) {
        findings.add(failure.what());
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
    // The damage of other tables is told by checksums alone, and their rows were copied with these.
    forget_damaged_figures(target, all);
    for (const char* table : {"studies", "trials", "finalists", "portfolios", "spaces"}) remove_damaged(target, table, all);
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

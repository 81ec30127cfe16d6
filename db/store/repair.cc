#include "db/store/repair.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "db/open.h"
#include "db/row_sums.h"
#include "db/schema.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/statement.h"
#include "db/sqlite/transaction.h"
#include "db/store/findings.h"
#include "db/store/row_check.h"
#include "db/store/settle.h"
#include "tuner/core/text.h"

namespace gktune {
namespace {

using sqlite::Database;
using sqlite::Failure;
using sqlite::Statement;

// Values for the row of a session whose own values are lost.
#define GKTUNE_NEW_UUID "lower(hex(randomblob(16)))"
#define GKTUNE_UNKNOWN_ENVIRONMENT                                                                           \
  "'' AS tool_version, '' AS host_name, '' AS driver, '' AS runtime, '' AS compiler, '' AS command_line, 0 " \
  "AS begun_ms"

// The tables to copy, in the order in which rows refer to each other, and an index
// that lists all rows of the table.
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
     "SELECT id, coalesce(nullif(uuid, ''), " GKTUNE_NEW_UUID ") AS uuid, " GKTUNE_UNKNOWN_ENVIRONMENT
     " FROM sessions INDEXED BY sqlite_autoindex_sessions_1",
     true},
    {summed::kTrials, "sqlite_autoindex_trials_1"},
    {summed::kPlayoffs, "playoffs_by_session"},
    {summed::kFinalists, "finalists_by_trial"},
    {summed::kPortfolios, "sqlite_autoindex_portfolios_1"},
};

bool has_column(const Database& database, std::string_view table, std::string_view column) {
  Statement find(database, "SELECT 1 FROM pragma_table_info(?) WHERE name = ?");
  return find.bind(table, column).step();
}

// True: the file is of a schema whose rows all have checksums.
bool has_all_checksums(const Database& database) { return has_column(database, "devices", "checksum"); }

bool has_object(const Database& database, std::string_view name) {
  Statement find(database, "SELECT 1 FROM sqlite_schema WHERE name = ?");
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

// Reads the rows of a table by their ids, which are its first column, and goes on behind damaged pages.
class RowReader {
 public:
  RowReader(const Database& source, const Table& table, const std::string& columns, Findings& findings)
      : name_(table.name()),
        findings_(findings),
        scan_(source,
              "SELECT " + columns + " FROM " + name_ + " NOT INDEXED WHERE id > ? AND id <= ? ORDER BY id"),
        find_(source, "SELECT " + columns + " FROM " + name_ + " NOT INDEXED WHERE id = ?") {
    list_ids(source, table);
    scan_.bind(0, kLargestId);
  }

  // The next readable row; nullptr: there are no more.
  Statement* next() {
    while (Statement* found = is_scanning_ ? scanned() : found_behind_damage()) {
      if (seen_.insert(found->row().integer()).second) return found;
    }
    // A damaged page may hide rows without an error.
    while (!listed_behind_.empty()) {
      const auto id = listed_behind_.extract(listed_behind_.begin()).value();
      if (!seen_.contains(id) && has(id)) {
        seen_.insert(id);
        return &find_;
      }
    }
    return nullptr;
  }

  const std::set<std::int64_t>& listed() const { return listed_; }  // the ids in the index
  bool has_failed() const { return has_failed_; }

 private:
  // Ids grow by one: greater ones are damage.
  static constexpr std::int64_t kLargestId = std::int64_t{1} << 40;
  // The ids that are looked for one by one behind a damaged page if the index
  // does not say how many there are.
  static constexpr int kMostMisses = 100'000;

  void list_ids(const Database& source, const Table& table) {
    try {
      const std::string all = "SELECT id FROM " + name_;
      // Schema 1 lacks some indexes.
      Statement select(source, has_object(source, table.index) ? all + " INDEXED BY " + table.index : all);
      while (select.step()) listed_.insert(select.row().integer());
      last_ = listed_.empty() ? 0 : *listed_.rbegin();
    } catch (const Failure& failure) {
      fail(std::string("index ") + table.index + ": " + failure.what());
    }
    listed_behind_ = listed_;
    try {
      Statement select(source, "SELECT seq FROM sqlite_sequence WHERE name = ?");
      if (last_ && select.bind(name_).step()) last_ = std::max(*last_, select.row().integer());
    } catch (const Failure&) {
      // Schema 1 counted no other table.
    }
  }

  void fail(const std::string& finding) {
    has_failed_ = true;
    findings_.add(finding);
  }

  bool has(std::int64_t id) {
    try {
      return find_.bind(id).step();
    } catch (const Failure&) {
      return false;
    }
  }

  Statement* scanned() {
    try {
      if (!scan_.step()) return nullptr;
      // A page in a wrong place has earlier ids: going back to them would never end.
      at_ = std::max(at_, scan_.row().integer());
      return &scan_;
    } catch (const Failure& failure) {
      fail(name_ + " after row " + std::to_string(at_) + ": " + failure.what());
    }
    is_scanning_ = false;
    misses_ = 0;
    return found_behind_damage();
  }

  Statement* found_behind_damage() {
    while (const auto id = next_candidate()) {
      at_ = *id;
      if (!has(at_)) continue;
      is_scanning_ = true;
      scan_.bind(at_, kLargestId);
      return &find_;
    }
    return nullptr;
  }

  std::optional<std::int64_t> next_candidate() {
    if (at_ < last_.value_or(kLargestId) && misses_++ < kMostMisses) return at_ + 1;
    const auto listed = listed_.upper_bound(at_);
    return listed == listed_.end() ? std::nullopt : std::optional(*listed);
  }

  const std::string name_;
  Findings& findings_;
  Statement scan_, find_;
  std::set<std::int64_t> listed_, listed_behind_, seen_;
  std::optional<std::int64_t> last_;  // without a value if the index is damaged
  std::int64_t at_ = 0;
  int misses_ = 0;
  bool is_scanning_ = true, has_failed_ = false;
};

// Copies rows of one table and survives the damage of its source.
class RowCopy {
 public:
  RowCopy(const Database& source, const Database& target, const Table& table, Repair& repair)
      : source_(source),
        target_(target),
        table_(table),
        name_(table.name()),
        repair_(repair),
        findings_(repair.findings) {
    if (has_all_checksums(target))
      is_damaged_.emplace(target, "SELECT 1 FROM " + name_ + " WHERE id = ? AND NOT " + is_sound(table.sums));
  }

  void run() {
    try {
      copy_all();
    } catch (const Failure& failure) {
      findings_.add(name_ + ": " + failure.what());
    }
    if (table_.from_index != nullptr) complete_from_index();
    auto& counts = repair_.tables[name_];
    counts.kept = static_cast<std::int64_t>(copied_.size());
    for (const std::int64_t id : known_) counts.lost += copied_.contains(id) ? 0 : 1;
    counts.lost += refused_;
  }

 private:
  void copy_all() {
    const std::string columns = columns_of(target_, name_);
    RowReader reader(source_, table_, columns, findings_);
    known_ = reader.listed();
    Statement insert(target_, insert_sql(columns));
    while (Statement* row = reader.next()) take(*row, insert);
  }

  // Rows on damaged pages, and rows that are damaged in themselves.
  void complete_from_index() {
    if (!has_object(target_, table_.index)) return;  // in schema 1
    try {
      Statement select(source_, table_.from_index);
      const std::string columns = joined(select.column_names());
      Statement insert(target_, insert_sql(columns));
      while (select.step()) {
        const auto id = select.row().integer();
        if (!copied_.contains(id)) complete(id, select, insert, columns);
      }
    } catch (const Failure& failure) {
      findings_.add(std::string("index ") + table_.index + ": " + failure.what());
    }
  }

  void complete(std::int64_t id, Statement& from_index, Statement& insert, const std::string& columns) {
    try {
      const bool is_identity_enough = table_.may_be_unknown || !damaged_.contains(id);
      if (is_identity_enough ? add_identity(from_index, insert) : restore(id, from_index, columns))
        findings_.add(name_ + " " + std::to_string(id) + " was completed from an index");
    } catch (const Failure& failure) {
      Statement(target_, "DELETE FROM " + name_ + " WHERE id = ?").bind(id).run();
      findings_.add(name_ + " " + std::to_string(id) + ": " + failure.what());
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
    Statement(target_,
              "UPDATE " + name_ + " SET (" + columns + ") = (" + question_marks(columns) + ") WHERE id = ?1")
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

  // Inserts a row. A trial of a missing session gets one of which nothing is known; of two current trials of
  // a configuration the later one stays current.
  void insert_row(Statement& source, Statement& insert, std::int64_t id) {
    try {
      insert.bind_row(source).run();
    } catch (const Failure&) {
      if (table_.sums.name != summed::kTrials.name || !make_way(id)) throw;
      insert.bind_row(source).run();
    }
  }

  bool make_way(std::int64_t trial) {
    if (!has_all_checksums(target_)) return false;
    Statement find(
        source_, "SELECT study_id, config, session_id FROM trials WHERE id = ? AND " + is_sound(table_.sums));
    if (!find.bind(trial).step()) return false;
    auto row = find.row();
    const auto study = row.integer();
    Statement(target_,
              "UPDATE trials SET is_current = 0 WHERE study_id = ? AND config = ? AND is_current = 1")
        .bind(study, row.text())
        .run();
    const auto session = row.integer();
    Statement add(
        target_,
        "INSERT OR IGNORE INTO sessions (id, uuid, tool_version, host_name, driver, runtime, compiler,"
        " command_line, begun_ms) SELECT ?, " GKTUNE_NEW_UUID ", " GKTUNE_UNKNOWN_ENVIRONMENT);
    add.bind(session).run();
    Statement(target_, seal(summed::kSessions, "id = ? AND checksum IS NULL")).bind(session).run();
    return true;
  }

  // Returns the row's id. A row that breaks the rules of its table is lost.
  std::int64_t take(Statement& source, Statement& insert, Checksum checksum = Checksum::copied) {
    const auto id = source.row().integer();
    try {
      insert_row(source, insert, id);
      if (checksum == Checksum::copied && is_damaged_ && is_damaged_->bind(id).step()) {
        Statement(target_, "DELETE FROM " + name_ + " WHERE id = ?").bind(id).run();
        damaged_.insert(id);
        known_.insert(id);
        throw Failure("its checksum differs");
      }
      copied_.insert(id);
    } catch (const Failure& failure) {
      if (!known_.contains(id)) ++refused_;
      findings_.add(name_ + " " + std::to_string(id) + ": " + failure.what());
    }
    return id;
  }

  const Database& source_;
  const Database& target_;
  const Table& table_;
  const std::string name_;
  Repair& repair_;
  Findings findings_;
  std::optional<Statement>
      is_damaged_;  // finds a damaged row of the target; without a value in a schema that lacks checksums
  std::set<std::int64_t> known_, copied_, damaged_;
  std::int64_t refused_ = 0;
};

std::int64_t rows_of(const Database& database, const std::string& table) {
  Statement count(database, "SELECT count(*) FROM " + table);
  count.bind().step();
  return count.row().integer();
}

// The rows that are damaged in themselves. Says so in the findings.
std::vector<CheckedRow> damaged_rows(const Database& database, const std::string& table, Repair& repair) {
  Findings findings(repair.findings);
  std::vector<CheckedRow> damaged;
  check_rows(database, table, [&](const CheckedRow& row) {
    if (row.damage.empty()) return;
    damaged.push_back(row);
    findings.add(row.name + ": " + row.damage);
  });
  return damaged;
}

// Trials need their sessions, whose figures may be unknown. Repeated merges need a name.
void mend_sessions(const Database& database, Repair& repair) {
  for (const CheckedRow& row : damaged_rows(database, "sessions", repair)) {
    Statement(database,
              "UPDATE sessions SET figures = NULL, uuid = coalesce(nullif(uuid, ''), " GKTUNE_NEW_UUID
              ") WHERE id = ?")
        .bind(row.id)
        .run();
    Statement(database, seal(summed::kSessions, "id = ?")).bind(row.id).run();
  }
}

// A damaged index may list sessions that never were.
void remove_unknown_sessions(const Database& database) {
  Statement(database,
            "DELETE FROM sessions WHERE begun_ms = 0 AND tool_version = '' AND id NOT IN"
            " (SELECT session_id FROM trials UNION SELECT session_id FROM playoffs)")
      .run();
}

// Removes the rows that are damaged in themselves, and the rows that refer to them.
void remove_damaged(const Database& database, const std::string& table, Repair& repair) {
  for (const CheckedRow& row : damaged_rows(database, table, repair)) remove_row(database, table, row);
  for (auto& [name, counts] : repair.tables) {
    const std::int64_t left = rows_of(database, name);
    counts.lost += std::max<std::int64_t>(counts.kept - left, 0);
    counts.kept = left;
  }
}

std::set<std::int64_t> all_studies(const Database& database) {
  std::set<std::int64_t> all;
  Statement select(database, "SELECT id FROM studies");
  while (select.step()) all.insert(select.row().integer());
  return all;
}

// Copies the rows of spaces in an order and goes on behind rows of which a part is damaged. False: a damaged
// page ended it.
bool copy_spaces_in(const char* order, const Database& source, Statement& insert, Findings& findings) {
  constexpr int kMostFailures = 8;  // in a row
  Statement rows(source, "SELECT * FROM spaces ORDER BY kernel " + std::string(order) + ", fingerprint " +
                             order + " LIMIT -1 OFFSET ?");
  std::int64_t offset = 0;
  for (int failures = 0; failures < kMostFailures; ++failures, ++offset) {
    try {
      for (rows.bind(offset); rows.step(); ++offset, failures = 0) insert.bind_row(rows).run();
      return true;
    } catch (const Failure& failure) {
      if (failures == 0) findings.add(std::string("spaces: ") + failure.what());
    }
  }
  return false;
}

// The rows of spaces have no ids. Between damaged pages they are found by the versions of the studies; no
// other row serves.
void copy_spaces(const Database& source, const Database& target, Repair& repair) {
  auto& counts = repair.tables["spaces"];
  Findings findings(repair.findings);
  try {
    const std::string columns = columns_of(target, "spaces");
    Statement insert(
        target, "INSERT OR IGNORE INTO spaces (" + columns + ") VALUES (" + question_marks(columns) + ")");
    const bool is_whole = copy_spaces_in("ASC", source, insert, findings);
    if (!is_whole) copy_spaces_in("DESC", source, insert, findings);
    Statement missing(
        target, "SELECT kernel, fingerprint FROM studies EXCEPT SELECT kernel, fingerprint FROM spaces");
    Statement find(source, "SELECT " + columns + " FROM spaces WHERE kernel = ? AND fingerprint = ?");
    for (missing.bind(); missing.step();) {
      auto version = missing.row();
      const auto kernel = version.text();
      try {
        if (find.bind(kernel, version.text()).step()) insert.bind_row(find).run();
      } catch (const Failure&) {
        ++counts.lost;
      }
    }
  } catch (const Failure& failure) {
    findings.add(std::string("spaces: ") + failure.what());
  }
  if (has_all_checksums(target)) {
    Statement(target, "DELETE FROM spaces WHERE NOT " + is_sound(summed::kSpaces)).run();
    if (const auto damaged = target.changes(); damaged > 0) {
      counts.lost += damaged;
      findings.add("spaces: the checksums of " + std::to_string(damaged) + " rows differ");
    }
  }
  counts.kept = rows_of(target, "spaces");
}

Repair copy_readable(const Database& source, Database& target) {
  Repair repair;
  for (const Table& table : kTables) {
    if (has_object(target, table.sums.name)) RowCopy(source, target, table, repair).run();
  }
  if (has_object(target, "spaces")) copy_spaces(source, target, repair);
  // Damage may have set any value, which no checksum tells.
  if (has_column(target, "trials", "is_current"))
    Statement(target, "UPDATE trials SET is_current = 0 WHERE is_current NOT IN (0, 1)").run();
  return repair;
}

}  // namespace

bool has_readable_trials(const Database& damaged) {
  std::vector<std::string> ignored;
  Findings findings(ignored);
  RowReader reader(damaged, *std::ranges::find(kTables, "trials", &Table::name), "id", findings);
  return reader.next() != nullptr || !reader.has_failed();
}

Result<Repair> repair_database(const std::filesystem::path& damaged, const std::filesystem::path& repaired) {
  if (std::error_code error; std::filesystem::exists(repaired, error))
    return Error{repaired.string() + ": exists; name a new file"};
  auto repair = sqlite::guarded(damaged.string(), [&] {
    Database source = open_damaged(damaged, kLockPatience);
    if (!has_readable_trials(source)) throw Failure("damaged: none of its trials can be read");
    Repair all;
    {
      Database target(repaired, Database::Access::create, kLockPatience);
      target.execute("PRAGMA synchronous = OFF");  // the second transaction brings everything to the disk
      const auto version = static_cast<std::size_t>(source.integer("PRAGMA user_version"));
      migrate(target, schema_steps().first(version));
      // Rows whose study is lost stay out.
      sqlite::Transaction transaction(target, sqlite::Transaction::Kind::write);
      all = copy_readable(source, target);
      transaction.commit();
    }
    Database target = open_for_writing(repaired, kLockPatience);
    sqlite::Transaction transaction(target, sqlite::Transaction::Kind::write);
    // The damage of other tables is told by checksums alone, and their rows were copied with these.
    mend_sessions(target, all);
    for (const char* table : {"studies", "trials", "finalists", "portfolios", "spaces"})
      remove_damaged(target, table, all);
    settle(target, all_studies(target));
    remove_unknown_sessions(target);
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

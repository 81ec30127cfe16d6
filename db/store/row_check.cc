#include "db/store/row_check.h"

#include "db/sqlite/failure.h"
#include "db/store/trial_row.h"
#include "db/values_json.h"

namespace gktune {
namespace {

using sqlite::Failure;
using sqlite::Statement;

// True if the version of the file has checksums.
bool has_checksums(const sqlite::Database& database, const std::string& table) {
  Statement find(database, "SELECT 1 FROM pragma_table_info(?) WHERE name = 'checksum'");
  return find.bind(table).step();
}

void require_canonical(const std::string& json, const char* column) {
  if (values_from_json(json).json() != json)
    throw Failure(std::string(column) + " is not in its canonical form");
}

void parse_trial(sqlite::Row& row) {
  const Trial trial = read_trial(row);
  require_canonical(trial.config.json(), "config");
  if (trial.ok() && !trial.samples_us.empty() && !(trial.timing.min_us <= trial.timing.median_us))
    throw Failure("its median is less than its minimum");
  for (const double sample : trial.samples_us) {
    if (!(sample >= 0)) throw Failure("a sample is not a time");
  }
}

void parse_finalist(sqlite::Row& row) {
  Trial trial;
  read_finalist(row, trial);
  for (const double sample : trial.samples_us) {
    if (!(sample >= 0)) throw Failure("a sample is not a time");
  }
}

void parse_study(sqlite::Row& row) {
  row.boolean();
  require_canonical(row.text(), "its problem");
  const auto regime = row.text();
  if (!regime_from_name(regime)) throw Failure("damaged: the regime \"" + regime + '"');
}

// The columns of a table that hold its contents, and the parser of them.
struct CheckedTable {
  std::string name, columns, checksum;
  void (*parse)(sqlite::Row& row);
};

CheckedTable checked_table(const std::string& name) {
  if (name == "trials") return {name, "id, " + kTrialContents, kTrialChecksum, parse_trial};
  if (name == "finalists") return {name, kFinalistContents, kFinalistChecksum, parse_finalist};
  return {name, "problem, regime", "", parse_study};
}

}  // namespace

void check_rows(const sqlite::Database& database, const std::string& table, std::int64_t first,
                const OnRow& on_row) {
  const CheckedTable checked = checked_table(table);
  // The sums are compared here, where the version of the file is known: to the readers every row is sound.
  std::string sums = "NULL, NULL";
  if (has_checksums(database, table)) sums = "checksum, " + checked.checksum;
  Statement select(database, "SELECT id, " + sums + ", 1, " + checked.columns + " FROM " + table +
                                 " NOT INDEXED WHERE id >= ? ORDER BY id");
  select.bind(first);
  while (select.step()) {
    auto row = select.row();
    const auto id = row.integer();
    const auto stored = row.maybe_integer(), computed = row.maybe_integer();
    std::string damage;
    if (stored && stored != computed) {
      damage = "its checksum differs";
    } else {
      try {
        checked.parse(row);
      } catch (const Failure& failure) {
        damage = failure.what();
      }
    }
    on_row(id, damage, stored.has_value());
  }
}

}  // namespace gktune

#include "db/store/row_check.h"

#include <algorithm>

#include "db/answers/device_figures.h"
#include "db/portfolio/portfolio_json.h"
#include "db/row_sums.h"
#include "db/sqlite/failure.h"
#include "db/store/trial_row.h"
#include "db/values_json.h"

namespace gktune {
namespace {

using sqlite::Failure;
using sqlite::Statement;

void require_canonical(const std::string& json, const char* column) {
  if (values_from_json(json).json() != json)
    throw Failure(std::string(column) + " is not in its canonical form");
}

void require_regime(const std::string& regime) {
  if (!regime_from_name(regime)) throw Failure("damaged: the regime \"" + regime + '"');
}

void parse_nothing(sqlite::Row&) {}

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
  require_canonical(row.text(), "its problem");
  require_regime(row.text());
}

void parse_session(sqlite::Row& row) {
  DeviceInfo device;
  if (const auto figures = row.view(); !figures.empty()) set_figures(device, values_from_json(figures));
}

void parse_winner(sqlite::Row& row) { require_canonical(row.text(), "config"); }

void parse_portfolio(sqlite::Row& row) {
  require_regime(row.text());
  Portfolio portfolio;
  read_body_text(row.text(), portfolio);
}

void parse_space(sqlite::Row& row) {
  for (int column = 0; column < 3; ++column) values_from_json(row.view());
}

void parse_general_config(sqlite::Row& row) {
  require_regime(row.text());
  require_canonical(row.text(), "config");
}

struct CheckedTable {
  const SummedTable& sums;
  std::string key;      // the SQL of what identifies a row
  bool has_id;          // the key is a number
  std::string columns;  // the columns that the parser reads
  void (*parse)(sqlite::Row& row);
};

// To the parsers of trials and finalists every row is sound: check_rows compares the sums.
const CheckedTable& checked_table(std::string_view name) {
  static const CheckedTable kAll[] = {
      {summed::kDevices, "id", true, "NULL", parse_nothing},
      {summed::kStudies, "id", true, "problem, regime", parse_study},
      {summed::kSessions, "id", true, "figures", parse_session},
      {summed::kTrials, "id", true, "1, id, " GKTUNE_TRIAL_CONTENTS, parse_trial},
      {summed::kPlayoffs, "id", true, "NULL", parse_nothing},
      {summed::kFinalists, "id", true, "1, " GKTUNE_FINALIST_CONTENTS, parse_finalist},
      {summed::kWinners, "study_id", true, "config", parse_winner},
      {summed::kPortfolios, "id", true, "regime, body", parse_portfolio},
      {summed::kSpaces, "coalesce(kernel, 'NULL') || ' ' || coalesce(fingerprint, 'NULL')", false, "matching, constraints, default_config", parse_space},
      {summed::kGeneralConfigs, "coalesce(kernel, 'NULL') || ' ' || coalesce(fingerprint, 'NULL') || ' ' || coalesce(device_id, 'NULL') || ' ' ||"
       " coalesce(regime, 'NULL') || ' ' || coalesce(objective, 'NULL')",
       false, "regime, config", parse_general_config},
  };
  return *std::ranges::find(kAll, name, [](const CheckedTable& table) { return table.sums.name; });
}

}  // namespace

void remove_row(const sqlite::Database& database, std::string_view table, const CheckedRow& row) {
  const CheckedTable& checked = checked_table(table);
  Statement remove(database, "DELETE FROM " + std::string(table) + " WHERE " + checked.key + " = ?");
  if (checked.has_id) {
    remove.bind(row.id).run();
  } else {
    remove.bind(row.name.substr(table.size() + 1)).run();
  }
}

void check_rows(const sqlite::Database& database, std::string_view table, const OnRow& on_row) {
  const CheckedTable& checked = checked_table(table);
  const std::string name(table);
  // Without an index, so that the rows themselves are read.
  Statement select(database, "SELECT " + checked.key + ", " + is_sound(checked.sums) + ", " + checked.columns + " FROM " +
                                 name + (checked.has_id ? " NOT INDEXED ORDER BY " + checked.key : " NOT INDEXED"));
  while (select.step()) {
    auto row = select.row();
    CheckedRow found;
    if (checked.has_id) {
      found.id = row.integer();
      found.name = name + " " + std::to_string(found.id);
    } else {
      found.name = name + " " + row.text();
    }
    if (row.boolean()) {
      try {
        checked.parse(row);
      } catch (const Failure& failure) {
        found.damage = failure.what();
      }
    } else {
      found.damage = "its checksum differs";
    }
    on_row(found);
  }
}

}  // namespace gktune

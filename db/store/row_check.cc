#include "db/store/row_check.h"

#include <algorithm>
#include <span>

#include "db/row_sums.h"
#include "db/sqlite/failure.h"
#include "db/sqlite/statement.h"
#include "db/store/columns.h"

namespace gktune {
namespace {

using sqlite::Failure;
using sqlite::Statement;

constexpr Column kTrialPlace[] = {kTrialNumber, {"is_current", Column::Kind::flag}};
constexpr Column kWinner[] = {{"config", Column::Kind::values}};
constexpr Column kGeneralConfig[] = {{"regime", Column::Kind::regime}, {"config", Column::Kind::values}};

struct CheckedTable {
  const SummedTable& sums;
  std::string key;  // the SQL of what identifies a row
  bool has_id;      // the key is a number
  std::span<const Column> columns, more = {};
};

const CheckedTable& checked_table(std::string_view name) {
  static const CheckedTable kAll[] = {
      {summed::kDevices, "id", true, {}},
      {summed::kStudies, "id", true, kStudyFields},
      {summed::kSessions, "id", true, kSessionFields},
      {summed::kTrials, "id", true, kTrialFields, kTrialPlace},
      {summed::kPlayoffs, "id", true, {}},
      {summed::kFinalists, "id", true, kFinalistFields},
      {summed::kWinners, "study_id", true, kWinner},
      {summed::kPortfolios, "id", true, kPortfolioFields},
      {summed::kSpaces, "coalesce(kernel, 'NULL') || ' ' || coalesce(fingerprint, 'NULL')", false,
       kSpaceFields},
      {summed::kGeneralConfigs,
       "coalesce(kernel, 'NULL') || ' ' || coalesce(fingerprint, 'NULL') || ' ' || coalesce(device_id, "
       "'NULL') || ' ' ||"
       " coalesce(regime, 'NULL') || ' ' || coalesce(objective, 'NULL')",
       false, kGeneralConfig},
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
  std::string columns;
  for (const auto& each : {checked.columns, checked.more})
    columns += each.empty() ? "" : ", " + names_of(each);
  Statement select(database, "SELECT " + checked.key + ", " + is_sound(checked.sums) + columns + " FROM " +
                                 name +
                                 (checked.has_id ? " NOT INDEXED ORDER BY " + checked.key : " NOT INDEXED"));
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
        for (const auto& each : {checked.columns, checked.more}) read_values(row, each);
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

#include "db/exchange/columns.h"

#include <cmath>
#include <limits>

#include "db/sqlite/failure.h"
#include "tuner/core/text.h"
#include "tuner/core/trial.h"

namespace gktune {
namespace {

using sqlite::Failure;
using sqlite::SqlValue;
using FieldKind = Column::Kind;

constexpr Column kSession[] = {{"uuid", FieldKind::text},         {"tool_version", FieldKind::text}, {"host_name", FieldKind::text},
                               {"driver", FieldKind::text},       {"runtime", FieldKind::text},      {"compiler", FieldKind::text},
                               {"figures", FieldKind::values, true}, {"command_line", FieldKind::text}, {"begun_ms", FieldKind::integer},
                               {"ended_ms", FieldKind::integer, true}};

constexpr Column kTrial[] = {{"config", FieldKind::values},
                             {"status", FieldKind::text},
                             {"message", FieldKind::text},
                             {"objective", FieldKind::real, true},
                             {"is_dropped_early", FieldKind::integer},
                             {"median_us", FieldKind::real, true},
                             {"low_us", FieldKind::real, true},
                             {"high_us", FieldKind::real, true},
                             {"min_us", FieldKind::real, true},
                             {"mean_us", FieldKind::real, true},
                             {"deviation_us", FieldKind::real, true},
                             {"metrics", FieldKind::values},
                             {"registers", FieldKind::integer, true},
                             {"spill_bytes", FieldKind::integer, true},
                             {"static_shared_bytes", FieldKind::integer, true},
                             {"dynamic_shared_bytes", FieldKind::integer, true},
                             {"occupancy", FieldKind::real, true},
                             {"grid_x", FieldKind::integer},
                             {"grid_y", FieldKind::integer},
                             {"grid_z", FieldKind::integer},
                             {"block_x", FieldKind::integer},
                             {"block_y", FieldKind::integer},
                             {"block_z", FieldKind::integer},
                             {"clock_mhz", FieldKind::real, true},
                             {"temperature_c", FieldKind::real, true},
                             {"power_w", FieldKind::real, true},
                             {"energy_j", FieldKind::real, true},
                             {"throttled", FieldKind::integer},
                             {"compile_s", FieldKind::real},
                             {"run_s", FieldKind::real},
                             {"started_ms", FieldKind::integer},
                             {"ended_ms", FieldKind::integer},
                             {"samples", FieldKind::samples},
                             {"recorded", FieldKind::json, true}};

constexpr Column kFinalist[] = {{"place", FieldKind::integer},       {"objective", FieldKind::real, true}, {"median_us", FieldKind::real, true},
                                {"low_us", FieldKind::real, true},   {"high_us", FieldKind::real, true},   {"min_us", FieldKind::real, true},
                                {"mean_us", FieldKind::real, true},  {"deviation_us", FieldKind::real, true}, {"metrics", FieldKind::values, true},
                                {"samples", FieldKind::samples}};

SortedJson parsed(const std::string& text) {
  auto json = SortedJson::parse(text, nullptr, false);
  if (json.is_discarded()) throw Failure("damaged: not JSON: " + text.substr(0, 80));
  return json;
}

SortedJson read_column(sqlite::Row& row, const Column& column) {
  switch (column.kind) {
    case FieldKind::integer: {
      const auto number = row.maybe_integer();
      return number ? SortedJson(*number) : SortedJson();
    }
    case FieldKind::real: {
      const auto number = row.maybe_real();
      return number ? SortedJson(*number) : SortedJson();
    }
    case FieldKind::text:
      return row.text();
    case FieldKind::samples:
      return row.reals();
    case FieldKind::values:
    case FieldKind::json:
      break;
  }
  const auto text_of_json = row.text();
  if (text_of_json.empty() && column.may_be_null) return {};
  return parsed(text_of_json);
}

[[noreturn]] void refuse(const Column& column, const char* expected) {
  throw Failure(std::string("'") + column.name + "' is not " + expected);
}

SqlValue value_to_bind(const SortedJson& field, const Column& column) {
  if (field.is_null() && column.may_be_null) return std::nullopt;
  switch (column.kind) {
    case FieldKind::integer:
      if (!field.is_number_integer() || field > std::numeric_limits<std::int64_t>::max())
        refuse(column, "an integer");
      return field.get<std::int64_t>();
    case FieldKind::real:
      if (!field.is_number()) refuse(column, "a number");
      return field.get<double>();
    case FieldKind::text:
      if (!field.is_string()) refuse(column, "a text");
      return field.get<std::string>();
    case FieldKind::samples: {
      if (!field.is_array()) refuse(column, "an array of times");
      std::vector<double> times;
      for (const SortedJson& time : field) {
        if (!time.is_number() || !(time.get<double>() >= 0)) refuse(column, "an array of times");
        times.push_back(time.get<double>());
      }
      return times;
    }
    case FieldKind::values:
      if (!field.is_object()) refuse(column, "an object");
      return values_from(field).json();
    case FieldKind::json:
      break;
  }
  return field.dump();
}

}  // namespace

const std::span<const Column> kSessionFields = kSession, kTrialFields = kTrial, kFinalistFields = kFinalist;

std::string names_of(std::span<const Column> columns) {
  return joined(columns, ", ", &Column::name);
}

void read_columns(sqlite::Row& row, std::span<const Column> columns, SortedJson& record) {
  for (const Column& column : columns) record[column.name] = read_column(row, column);
}

void add_values(const SortedJson& record, std::span<const Column> columns, std::vector<SqlValue>& values) {
  for (const Column& column : columns) values.push_back(value_to_bind(member(record, column.name), column));
}

const SortedJson& member(const SortedJson& record, const char* name) {
  const auto found = record.is_object() ? record.find(name) : record.end();
  if (found == record.end()) throw Failure(std::string("'") + name + "' is missing");
  return *found;
}

std::int64_t integer_field(const SortedJson& record, const char* name) {
  return std::get<std::int64_t>(value_to_bind(member(record, name), {name, FieldKind::integer}));
}

std::string text_field_of(const SortedJson& record, const char* name) {
  return std::get<std::string>(value_to_bind(member(record, name), {name, FieldKind::text}));
}

}  // namespace gktune

#include "db/exchange/columns.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "db/sqlite/failure.h"
#include "tuner/core/text.h"
#include "tuner/core/trial.h"

namespace gktune {
namespace {

using sqlite::Failure;
using sqlite::SqlValue;
using FieldKind = Column::Kind;

constexpr Column kSession[] = {{"uuid", FieldKind::text},
                               {"tool_version", FieldKind::text},
                               {"host_name", FieldKind::text},
                               {"driver", FieldKind::text},
                               {"runtime", FieldKind::text},
                               {"compiler", FieldKind::text},
                               {"figures", FieldKind::figures, true},
                               {"command_line", FieldKind::text},
                               {"begun_ms", FieldKind::integer},
                               {"ended_ms", FieldKind::integer, true}};

constexpr Column kTrial[] = {{"config", FieldKind::values},
                             {"status", FieldKind::text},
                             {"message", FieldKind::text},
                             {"objective", FieldKind::real, true},
                             {"is_dropped_early", FieldKind::flag},
                             {"median_us", FieldKind::amount, true},
                             {"low_us", FieldKind::amount, true},
                             {"high_us", FieldKind::amount, true},
                             {"min_us", FieldKind::amount, true},
                             {"mean_us", FieldKind::amount, true},
                             {"deviation_us", FieldKind::amount, true},
                             {"metrics", FieldKind::metrics},
                             {"registers", FieldKind::count, true},
                             {"spill_bytes", FieldKind::count, true},
                             {"static_shared_bytes", FieldKind::count, true},
                             {"dynamic_shared_bytes", FieldKind::count, true},
                             {"occupancy", FieldKind::amount, true},
                             {"grid_x", FieldKind::count},
                             {"grid_y", FieldKind::count},
                             {"grid_z", FieldKind::count},
                             {"block_x", FieldKind::count},
                             {"block_y", FieldKind::count},
                             {"block_z", FieldKind::count},
                             {"clock_mhz", FieldKind::amount, true},
                             {"temperature_c", FieldKind::real, true},
                             {"power_w", FieldKind::amount, true},
                             {"energy_j", FieldKind::amount, true},
                             {"throttled", FieldKind::flag},
                             {"compile_s", FieldKind::amount},
                             {"run_s", FieldKind::amount},
                             {"started_ms", FieldKind::integer},
                             {"ended_ms", FieldKind::integer},
                             {"samples", FieldKind::samples},
                             {"recorded", FieldKind::json, true}};

constexpr Column kFinalist[] = {{"place", FieldKind::ordinal},
                                {"objective", FieldKind::real, true},
                                {"median_us", FieldKind::amount, true},
                                {"low_us", FieldKind::amount, true},
                                {"high_us", FieldKind::amount, true},
                                {"min_us", FieldKind::amount, true},
                                {"mean_us", FieldKind::amount, true},
                                {"deviation_us", FieldKind::amount, true},
                                {"metrics", FieldKind::metrics, true},
                                {"samples", FieldKind::samples}};

SortedJson parsed(const std::string& text) {
  auto json = SortedJson::parse(text, nullptr, false);
  if (json.is_discarded()) throw Failure("damaged: not JSON: " + text.substr(0, 80));
  return json;
}

SortedJson read_column(sqlite::Row& row, const Column& column) {
  switch (column.kind) {
    case FieldKind::integer:
    case FieldKind::count:
    case FieldKind::ordinal:
    case FieldKind::flag: {
      const auto number = row.maybe_integer();
      return number ? SortedJson(*number) : SortedJson();
    }
    case FieldKind::real:
    case FieldKind::amount: {
      const auto number = row.maybe_real();
      return number ? SortedJson(*number) : SortedJson();
    }
    case FieldKind::text:
      return row.text();
    case FieldKind::samples:
      return row.reals();
    default:
      break;
  }
  const auto text_of_json = row.text();
  if (text_of_json.empty() && column.may_be_null) return {};
  return parsed(text_of_json);
}

[[noreturn]] void refuse(const Column& column, const char* expected) {
  throw Failure(std::string("'") + column.name + "' is not " + expected);
}

// An integer may be written as 1.0.
std::optional<std::int64_t> integer_in(const SortedJson& field) {
  constexpr double kExact = 9007199254740992;  // every integer up to it is a double
  if (field.is_number_integer() && field <= std::numeric_limits<std::int64_t>::max()) return field.get<std::int64_t>();
  if (!field.is_number_float()) return std::nullopt;
  const double number = field.get<double>();
  if (std::abs(number) > kExact || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

SqlValue integer_to_bind(const SortedJson& field, const Column& column) {
  const auto number = integer_in(field);
  if (column.kind == FieldKind::flag && number != 0 && number != 1) refuse(column, "0 or 1");
  if (!number) refuse(column, "an integer");
  if (column.kind == FieldKind::count && *number < 0) refuse(column, "an integer of at least 0");
  if (column.kind == FieldKind::ordinal && *number < 1) refuse(column, "an integer of at least 1");
  return *number;
}

SqlValue value_to_bind(const SortedJson& field, const Column& column) {
  if (field.is_null() && column.may_be_null) return std::nullopt;
  switch (column.kind) {
    case FieldKind::integer:
    case FieldKind::count:
    case FieldKind::ordinal:
    case FieldKind::flag:
      return integer_to_bind(field, column);
    case FieldKind::real:
      if (!field.is_number()) refuse(column, "a number");
      return field.get<double>();
    case FieldKind::amount:
      if (!field.is_number() || !(field.get<double>() >= 0)) refuse(column, "a number of at least 0");
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
    case FieldKind::metrics:
    case FieldKind::figures: {
      if (!field.is_object()) refuse(column, "an object");
      for (const SortedJson& value : field) {
        if (value.is_null() && column.kind != FieldKind::metrics) refuse(column, "an object of values");
        if (value.is_string() && column.kind == FieldKind::figures) refuse(column, "an object of numbers");
      }
      return values_from(field).json();
    }
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

SortedJson unknown_field(const Column& column) {
  if (column.may_be_null) return {};
  return column.kind == FieldKind::text ? SortedJson("") : SortedJson(0);
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

namespace {

template <class T>
T field_of(const SortedJson& record, const char* name, FieldKind kind) {
  return std::get<T>(value_to_bind(member(record, name), {name, kind}));
}

}  // namespace

std::int64_t integer_field(const SortedJson& record, const char* name) {
  return field_of<std::int64_t>(record, name, FieldKind::integer);
}

std::int64_t ordinal_field(const SortedJson& record, const char* name) {
  return field_of<std::int64_t>(record, name, FieldKind::ordinal);
}

double amount_field(const SortedJson& record, const char* name) {
  return field_of<double>(record, name, FieldKind::amount);
}

std::string values_field(const SortedJson& record, const char* name) {
  return field_of<std::string>(record, name, FieldKind::values);
}

std::string text_field_of(const SortedJson& record, const char* name) {
  return field_of<std::string>(record, name, FieldKind::text);
}

void require_known_fields(const SortedJson& record, std::initializer_list<std::string_view> own,
                          std::span<const Column> columns) {
  for (const auto& each : record.items()) {
    const std::string& name = each.key();
    const bool is_known = std::ranges::find(own, name) != own.end() ||
                          std::ranges::any_of(columns, [&](const Column& column) { return column.name == name; });
    if (!is_known) throw Failure("'" + name + "' is unknown");
  }
}

}  // namespace gktune

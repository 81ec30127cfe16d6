#include "db/store/columns.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "db/portfolio/portfolio_json.h"
#include "db/sqlite/failure.h"
#include "db/values_json.h"
#include "tuner/core/text.h"
#include "tuner/core/trial.h"

namespace gktune {
namespace {

using sqlite::Failure;
using sqlite::SqlValue;
using FieldKind = Column::Kind;

constexpr Column kSession[] = {{"uuid", FieldKind::name},
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
                             {"status", FieldKind::status},
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

constexpr Column kFinalist[] = {
    {"place", FieldKind::ordinal},          {"objective", FieldKind::real, true},
    {"median_us", FieldKind::amount, true}, {"low_us", FieldKind::amount, true},
    {"high_us", FieldKind::amount, true},   {"min_us", FieldKind::amount, true},
    {"mean_us", FieldKind::amount, true},   {"deviation_us", FieldKind::amount, true},
    {"metrics", FieldKind::metrics, true},  {"samples", FieldKind::samples}};

constexpr Column kStudy[] = {{"kernel", FieldKind::text},    {"fingerprint", FieldKind::text},
                             {"problem", FieldKind::values}, {"regime", FieldKind::regime},
                             {"objective", FieldKind::text}, {"recorded", FieldKind::json, true}};

constexpr Column kSpace[] = {{"kernel", FieldKind::text},
                             {"fingerprint", FieldKind::text},
                             {"matching", FieldKind::matching},
                             {"constraints", FieldKind::texts},
                             {"default_config", FieldKind::values}};

constexpr Column kPortfolio[] = {{"kernel", FieldKind::text},   {"fingerprint", FieldKind::text},
                                 {"regime", FieldKind::regime}, {"objective", FieldKind::text},
                                 {"within", FieldKind::amount}, {"made_ms", FieldKind::integer},
                                 {"body", FieldKind::body}};

std::string dumped(const SortedJson& json) {
  return json.dump(-1, ' ', false, SortedJson::error_handler_t::replace);
}

[[noreturn]] void refuse(const Column& column, const std::string& expected) {
  throw Failure(std::string("'") + column.name + "' is not " + expected);
}

// Refuses the body of a portfolio that another program would read in another way: it
// has to be what is read from it.
void require_body(const SortedJson& body, const Column& column) {
  Portfolio portfolio;
  try {
    read_body(body, portfolio);
  } catch (const SortedJson::exception&) {
    refuse(column, "that of a portfolio");
  }
  const auto is_count = [](std::size_t count) {
    return count <= std::size_t{std::numeric_limits<std::int64_t>::max()};
  };
  const auto is_counted = [&](const PortfolioLoss& loss) {
    return is_count(loss.configs) && is_count(loss.unmeasured);
  };
  bool is_same = body == body_json(portfolio) && is_count(portfolio.at_least) &&
                 is_counted(portfolio.tree_loss) && std::ranges::all_of(portfolio.losses, is_counted);
  for (const auto* loss : {&portfolio.held_back, &portfolio.held_back_nearest})
    is_same = is_same && (!*loss || is_counted(**loss));
  for (const char* name : {"problems", "configs"}) {
    for (const SortedJson& values : body[name])
      is_same =
          is_same && std::ranges::none_of(values, [](const SortedJson& value) { return value.is_null(); });
  }
  if (!is_same) throw Failure("'body' has a field that is unknown, or of another kind");
}

void require_number(std::int64_t number, const Column& column) {
  if (column.kind == FieldKind::flag && number != 0 && number != 1) refuse(column, "0 or 1");
  if (column.kind == FieldKind::count && number < 0) refuse(column, "an integer of at least 0");
  if (column.kind == FieldKind::ordinal && number < 1) refuse(column, "an integer of at least 1");
}

void require_number(double number, const Column& column) {
  if (!std::isfinite(number)) refuse(column, "a finite number");
  if (column.kind == FieldKind::amount && number < 0) refuse(column, "a number of at least 0");
}

void require_times(const std::vector<double>& times, const Column& column) {
  if (std::ranges::any_of(times, [](double time) { return !(time >= 0) || !std::isfinite(time); }))
    refuse(column, "an array of times");
}

void require_values(const NamedValues& values, const Column& column) {
  for (const auto& [name, value] : values) {
    if (column.kind != FieldKind::metrics && value.is_real() && !std::isfinite(value.real()))
      refuse(column, "an object of values");
    if (column.kind == FieldKind::figures && value.is_text()) refuse(column, "an object of numbers");
    if (column.kind == FieldKind::texts && !value.is_text()) refuse(column, "an object of texts");
    if (column.kind != FieldKind::matching) continue;
    constexpr std::array<std::string_view, 3> kWays = {"nearest", "exact", "categorical"};
    if (!value.is_text() || std::ranges::find(kWays, value.text()) == kWays.end())
      throw Failure("'matching' has " + dumped(sorted_json(value)) +
                    "; known are nearest, exact, categorical");
  }
}

void require_text(const std::string& text, const Column& column) {
  const std::string name = std::string("'") + column.name + "'";
  switch (column.kind) {
    case FieldKind::text:
      return;
    case FieldKind::name:
      if (text.empty()) throw Failure(name + " is empty");
      return;
    case FieldKind::status:
      if (!status_from_name(text)) throw Failure(name + " is '" + text + "', which is unknown");
      return;
    case FieldKind::regime:
      if (!regime_from_name(text)) throw Failure(name + " is neither cold nor hot");
      return;
    case FieldKind::json:
    case FieldKind::body: {
      const auto json = SortedJson::parse(text, nullptr, false);
      if (json.is_discarded()) throw Failure("damaged: " + name + " is not JSON: " + text.substr(0, 80));
      if (column.kind == FieldKind::body) require_body(json, column);
      return;
    }
    default:
      break;
  }
  const NamedValues values = values_from_json(text);
  // Equal values are equal texts where they identify a row.
  if (column.kind == FieldKind::values && values.json() != text) refuse(column, "in its canonical form");
  require_values(values, column);
}

void require_value(const SqlValue& value, const Column& column) {
  if (std::holds_alternative<std::nullopt_t>(value)) {
    if (!column.may_be_null) throw Failure(std::string("'") + column.name + "' is missing");
  } else if (const auto* number = std::get_if<std::int64_t>(&value)) {
    require_number(*number, column);
  } else if (const auto* real = std::get_if<double>(&value)) {
    require_number(*real, column);
  } else if (const auto* text = std::get_if<std::string>(&value)) {
    require_text(*text, column);
  } else {
    require_times(std::get<std::vector<double>>(value), column);
  }
}

// The rules for several values of a row.
void require_together(std::span<const Column> columns, std::span<const SqlValue> values) {
  if (columns.data() != kTrial) return;
  const auto at = [&](std::string_view name) -> const SqlValue& {
    return values[static_cast<std::size_t>(std::ranges::find(columns, name, &Column::name) -
                                           columns.begin())];
  };
  const auto is_missing = [](const SqlValue& value) { return std::holds_alternative<std::nullopt_t>(value); };
  if (std::get<std::string>(at("status")) != status_name(Status::ok) ||
      std::get<std::vector<double>>(at("samples")).empty())
    return;
  if (is_missing(at("min_us")) || is_missing(at("median_us"))) return;
  if (std::get<double>(at("median_us")) < std::get<double>(at("min_us")))
    throw Failure("'median_us' is less than 'min_us'");
}

enum class Storage { integer, real, text, samples };

Storage storage_of(FieldKind kind) {
  switch (kind) {
    case FieldKind::integer:
    case FieldKind::count:
    case FieldKind::ordinal:
    case FieldKind::flag:
      return Storage::integer;
    case FieldKind::real:
    case FieldKind::amount:
      return Storage::real;
    case FieldKind::samples:
      return Storage::samples;
    default:
      return Storage::text;
  }
}

template <class T>
SqlValue sql_value(std::optional<T> value) {
  return value ? SqlValue(*std::move(value)) : SqlValue(std::nullopt);
}

SqlValue read_value(sqlite::Row& row, const Column& column) {
  switch (storage_of(column.kind)) {
    case Storage::integer:
      return sql_value(row.maybe_integer());
    case Storage::real:
      return sql_value(row.maybe_real());
    case Storage::samples:
      return row.reals();
    case Storage::text:
      break;
  }
  const auto text = row.maybe_view();
  return text ? SqlValue(std::string(*text)) : SqlValue(std::nullopt);
}

SortedJson json_of(const SqlValue& value, const Column& column) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return *number;
  if (const auto* real = std::get_if<double>(&value)) return *real;
  if (const auto* times = std::get_if<std::vector<double>>(&value)) return *times;
  const auto* text = std::get_if<std::string>(&value);
  if (text == nullptr) return {};
  switch (column.kind) {
    case FieldKind::text:
    case FieldKind::name:
    case FieldKind::status:
    case FieldKind::regime:
      return *text;
    default:
      return SortedJson::parse(*text, nullptr, false);
  }
}

// An integer may be written as 1.0.
std::optional<std::int64_t> integer_in(const SortedJson& field) {
  constexpr double kExact = 9007199254740992;  // every integer up to it is a double
  if (field.is_number_integer() && field <= std::numeric_limits<std::int64_t>::max())
    return field.get<std::int64_t>();
  if (!field.is_number_float()) return std::nullopt;
  const double number = field.get<double>();
  if (std::abs(number) > kExact || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

SqlValue text_to_bind(const SortedJson& field, const Column& column) {
  switch (column.kind) {
    case FieldKind::text:
    case FieldKind::name:
    case FieldKind::status:
    case FieldKind::regime:
      if (!field.is_string()) refuse(column, "a text");
      return field.get<std::string>();
    case FieldKind::json:
    case FieldKind::body:
      return dumped(field);
    default:
      break;
  }
  if (!field.is_object()) refuse(column, "an object");
  return values_from(field).json();
}

SqlValue samples_to_bind(const SortedJson& field, const Column& column) {
  if (!field.is_array()) refuse(column, "an array of times");
  std::vector<double> times;
  for (const SortedJson& time : field) {
    if (!time.is_number()) refuse(column, "an array of times");
    times.push_back(time.get<double>());
  }
  return times;
}

SqlValue value_to_bind(const SortedJson& field, const Column& column) {
  if (field.is_null() && column.may_be_null) return std::nullopt;
  switch (storage_of(column.kind)) {
    case Storage::integer: {
      const auto number = integer_in(field);
      if (!number) refuse(column, column.kind == FieldKind::flag ? "0 or 1" : "an integer");
      return *number;
    }
    case Storage::real:
      if (!field.is_number())
        refuse(column, column.kind == FieldKind::amount ? "a number of at least 0" : "a number");
      return field.get<double>();
    case Storage::samples:
      return samples_to_bind(field, column);
    case Storage::text:
      break;
  }
  return text_to_bind(field, column);
}

}  // namespace

const std::span<const Column> kSessionFields = kSession, kStudyFields = kStudy, kTrialFields = kTrial,
                              kFinalistFields = kFinalist, kSpaceFields = kSpace,
                              kPortfolioFields = kPortfolio;

std::string names_of(std::span<const Column> columns, std::string_view prefix) {
  return joined(columns, ", ", [&](const Column& column) { return std::string(prefix) + column.name; });
}

SortedJson unknown_field(const Column& column) {
  if (column.may_be_null) return {};
  return column.kind == FieldKind::text ? SortedJson("") : SortedJson(0);
}

std::vector<SqlValue> read_values(sqlite::Row& row, std::span<const Column> columns) {
  std::vector<SqlValue> values;
  values.reserve(columns.size());
  for (const Column& column : columns) require_value(values.emplace_back(read_value(row, column)), column);
  require_together(columns, values);
  return values;
}

void read_columns(sqlite::Row& row, std::span<const Column> columns, SortedJson& record) {
  const auto values = read_values(row, columns);
  for (std::size_t i = 0; i < columns.size(); ++i) record[columns[i].name] = json_of(values[i], columns[i]);
}

void add_values(const SortedJson& record, std::span<const Column> columns, std::vector<SqlValue>& values) {
  const std::size_t first = values.size();
  for (const Column& column : columns)
    require_value(values.emplace_back(value_to_bind(member(record, column.name), column)), column);
  require_together(columns, std::span(values).subspan(first));
}

const SortedJson& member(const SortedJson& record, const char* name) {
  const auto found = record.is_object() ? record.find(name) : record.end();
  if (found == record.end()) throw Failure(std::string("'") + name + "' is missing");
  return *found;
}

namespace {

template <class T>
T field_of(const SortedJson& record, const char* name, FieldKind kind) {
  const Column column{name, kind};
  const SqlValue value = value_to_bind(member(record, name), column);
  require_value(value, column);
  return std::get<T>(value);
}

}  // namespace

std::int64_t integer_field(const SortedJson& record, const char* name) {
  return field_of<std::int64_t>(record, name, FieldKind::integer);
}

std::int64_t ordinal_field(const SortedJson& record, const char* name) {
  return field_of<std::int64_t>(record, name, FieldKind::ordinal);
}

std::string text_field_of(const SortedJson& record, const char* name) {
  return field_of<std::string>(record, name, FieldKind::text);
}

void require_known_fields(const SortedJson& record, std::initializer_list<std::string_view> own,
                          std::span<const Column> columns) {
  for (const auto& each : record.items()) {
    const std::string& name = each.key();
    const bool is_known =
        std::ranges::find(own, name) != own.end() ||
        std::ranges::any_of(columns, [&](const Column& column) { return column.name == name; });
    if (!is_known) throw Failure("'" + name + "' is unknown");
  }
}

}  // namespace gktune

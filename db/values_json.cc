#include "db/values_json.h"

#include <cmath>
#include <limits>

#include "db/sqlite/failure.h"
#include "tuner/core/fields_json.h"

namespace gktune {
namespace {

bool has_zero_byte(const std::string& text) { return text.find('\0') != std::string::npos; }

}  // namespace

SortedJson sorted_json(const Value& value) { return value_json<SortedJson>(value); }
SortedJson sorted_json(const NamedValues& values) { return values_json<SortedJson>(values); }

Value value_from(const SortedJson& json) {
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_string()) return Value(json.get<std::string>());
  if (json.is_number_float()) return Value(json.get<double>());
  if (json.is_number_integer() && json <= std::numeric_limits<std::int64_t>::max())
    return Value(json.get<std::int64_t>());
  if (json.is_null()) return Value(std::numeric_limits<double>::quiet_NaN());
  throw sqlite::Failure("not a value: " + json.dump(-1, ' ', false, SortedJson::error_handler_t::replace));
}

NamedValues values_from(const SortedJson& json) {
  if (!json.is_object()) throw sqlite::Failure("not an object of values: " + json.dump().substr(0, 80));
  NamedValues values;
  for (const auto& [name, value] : json.items()) values.set(name, value_from(value));
  return values;
}

NamedValues values_from_json(std::string_view json) {
  const auto parsed = SortedJson::parse(json, nullptr, false);
  if (!parsed.is_object())
    throw sqlite::Failure("not a JSON object of plain values: " + std::string(json.substr(0, 80)));
  return values_from(parsed);
}

std::string identity_json(const NamedValues& values, const std::string& what) {
  for (const auto& [name, value] : values) {
    if (value.is_real() && !std::isfinite(value.real())) {
      throw sqlite::Failure(what + ": " + name + " is " + value.str() + ", which cannot be stored");
    }
    if (has_zero_byte(name) || (value.is_text() && has_zero_byte(value.text()))) {
      throw sqlite::Failure(what + ": " + name + " has a zero byte, which cannot be stored");
    }
  }
  const std::string json = values.json();
  if (!SortedJson::accept(json)) throw sqlite::Failure(what + ": a text is no UTF-8, which cannot be stored: " + json);
  return json;
}

}  // namespace gktune

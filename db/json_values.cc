#include "db/json_values.h"

#include <cmath>
#include <limits>

#include "db/sqlite/failure.h"

namespace gktune {

SortedJson sorted_json(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return value.boolean();
    case Value::Kind::integer:
      return value.integer();
    case Value::Kind::real:
      return std::isfinite(value.real()) ? SortedJson(value.real()) : SortedJson();
    case Value::Kind::text:
      break;
  }
  return value.text();
}

SortedJson sorted_json(const NamedValues& values) {
  SortedJson object = SortedJson::object();
  for (const auto& [name, value] : values) object[name] = sorted_json(value);
  return object;
}

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

}  // namespace gktune

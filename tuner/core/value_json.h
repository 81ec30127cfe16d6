#pragma once

#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>

#include "gktune/values.h"

namespace gktune {

// `Json` is a type of nlohmann::basic_json. Keeps the kind of each value; JSON writes reals
// that are not finite as null.
template <class Json>
Json value_json(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return value.boolean();
    case Value::Kind::integer:
      return value.integer();
    case Value::Kind::real:
      return value.real();
    case Value::Kind::text:
      break;
  }
  return value.text();
}

template <class Json>
Json values_json(const NamedValues& values) {
  Json object = Json::object();
  for (const auto& [name, value] : values) object[name] = value_json<Json>(value);
  return object;
}

// The opposite; null becomes NaN. Throws std::invalid_argument for other JSON.
template <class Json>
Value value_from_json(const Json& json) {
  if (json.is_boolean()) return json.template get<bool>();
  if (json.is_number_unsigned() && json > std::numeric_limits<std::int64_t>::max())
    throw std::invalid_argument("a number is too large");
  if (json.is_number_integer()) return json.template get<std::int64_t>();
  if (json.is_number()) return json.template get<double>();
  if (json.is_string()) return json.template get<std::string>();
  if (json.is_null()) return std::numeric_limits<double>::quiet_NaN();
  throw std::invalid_argument("a value is neither a number nor a text");
}

template <class Json>
NamedValues values_from_json_object(const Json& json) {
  NamedValues values;
  for (const auto& [name, value] : json.items()) values.set(name, value_from_json(value));
  return values;
}

}  // namespace gktune

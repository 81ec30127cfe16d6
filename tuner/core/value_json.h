#pragma once

#include "tuner/core/named_values.h"

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

}  // namespace gktune

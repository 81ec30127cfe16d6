#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/core/fields.h"
#include "gktune/values.h"

namespace gktune {

// `Json` is a type of nlohmann::basic_json. Keeps the kind of each value; JSON writes reals
// that are not finite as null.
template <class Json>
Json value_json(const Value& value) {
  return value.visit([](const auto& own) { return Json(own); });
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
  if (json.is_number_unsigned() && !std::in_range<std::int64_t>(json.template get<std::uint64_t>()))
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

// JSON of structs with lists of fields, and of the types of their members. `Json` is a type of
// nlohmann::basic_json. Enumerations are written by name, unknown optional members as null. A type that is
// written as text declares
//   std::string field_text(const T&);
//   void set_from_text(T&, const std::string&);  // throws

template <class T>
inline constexpr bool is_optional_v = false;
template <class T>
inline constexpr bool is_optional_v<std::optional<T>> = true;
template <class T>
inline constexpr bool is_pair_v = false;
template <class A, class B>
inline constexpr bool is_pair_v<std::pair<A, B>> = true;
template <class T>
inline constexpr bool is_list_v = false;
template <class T>
inline constexpr bool is_list_v<std::vector<T>> = true;
template <class T, std::size_t N>
inline constexpr bool is_list_v<std::array<T, N>> = true;

template <class Json, class T>
Json written(const T& member) {
  if constexpr (std::is_enum_v<T>) {
    return std::string(enum_name(member));
  } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
    return Json(member);
  } else if constexpr (std::same_as<T, Value>) {
    return value_json<Json>(member);
  } else if constexpr (std::same_as<T, NamedValues>) {
    return values_json<Json>(member);
  } else if constexpr (is_optional_v<T>) {
    return member ? written<Json>(*member) : Json();
  } else if constexpr (is_pair_v<T>) {
    return Json::array({written<Json>(member.first), written<Json>(member.second)});
  } else if constexpr (is_list_v<T>) {
    Json list = Json::array();
    for (const auto& item : member) list.push_back(written<Json>(item));
    return list;
  } else if constexpr (requires { field_text(member); }) {
    return field_text(member);
  } else {
    Json object = Json::object();
    const auto write = [&](const char* name, const auto& field) {
      object[name] = written<Json>(std::as_const(member_of(field)));
    };
    fields(write, member);
    return object;
  }
}

// The opposite. Throws if the JSON does not match.
template <class Json, class T>
void read_into(T& member, const Json& json) {
  if constexpr (std::is_enum_v<T>) {
    const auto value = enum_from_name<T>(json.template get<std::string>());
    if (!value) throw std::out_of_range("an unknown name of a value");
    member = *value;
  } else if constexpr (std::is_arithmetic_v<T> || std::same_as<T, std::string>) {
    json.get_to(member);
  } else if constexpr (std::same_as<T, Value>) {
    member = value_from_json(json);
  } else if constexpr (std::same_as<T, NamedValues>) {
    member = values_from_json_object(json);
  } else if constexpr (is_optional_v<T>) {
    member.reset();
    if (!json.is_null()) read_into(member.emplace(), json);
  } else if constexpr (is_pair_v<T>) {
    read_into(member.first, json.at(0));
    read_into(member.second, json.at(1));
  } else if constexpr (is_list_v<T>) {
    const auto& items = json.template get_ref<const typename Json::array_t&>();
    if constexpr (requires { member.resize(items.size()); }) member.resize(items.size());
    if (items.size() != member.size()) throw std::out_of_range("a list of another length");
    for (std::size_t i = 0; i < items.size(); ++i) read_into(member[i], items[i]);
  } else if constexpr (requires { field_text(member); }) {
    set_from_text(member, json.template get<std::string>());
  } else {
    fields([&](const char* name, auto&& field) { read_into(member_of(field), json.at(name)); }, member);
  }
}

template <class T, class Json>
T read_as(const Json& json) {
  T value{};
  read_into(value, json);
  return value;
}

}  // namespace gktune

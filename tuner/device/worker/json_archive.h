#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/core/value.h"

namespace gktune {

using Json = nlohmann::json;

// Writes what names its members by fields(archive, object), and what such members are made of.
struct JsonWriter {
  Json object = Json::object();

  template <class T>
  void operator()(const char* name, const T& member) {
    object[name] = written(member);
  }

  static Json written(const Value& value) {
    Json pair = Json::array({static_cast<int>(value.kind())});
    switch (value.kind()) {
      case Value::Kind::boolean:
        pair.push_back(value.boolean());
        break;
      case Value::Kind::integer:
        pair.push_back(value.integer());
        break;
      case Value::Kind::real:
        pair.push_back(value.real());
        break;
      case Value::Kind::text:
        pair.push_back(value.text());
        break;
    }
    return pair;
  }
  template <class T>
  static Json written(const std::vector<T>& items) {
    Json list = Json::array();
    for (const T& item : items) list.push_back(written(item));
    return list;
  }
  static Json written(const std::pair<std::string, std::string>& pair) {
    return Json::array({pair.first, pair.second});
  }
  template <class T>
  static Json written(const T& member) {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<int>(member);
    } else if constexpr (requires { Json(member); }) {
      return Json(member);
    } else {
      JsonWriter writer;
      fields(writer, member);
      return std::move(writer.object);
    }
  }
};

// Reads the same. What is not as it should be throws.
struct JsonReader {
  const Json& object;

  template <class T>
  void operator()(const char* name, T& member) {
    read(object.at(name), member);
  }

  static void read(const Json& json, Value& value) {
    Value::Kind kind{};
    read(json.at(0), kind);
    switch (kind) {
      case Value::Kind::boolean:
        value = json.at(1).get<bool>();
        break;
      case Value::Kind::integer:
        value = json.at(1).get<std::int64_t>();
        break;
      case Value::Kind::real:
        value = json.at(1).get<double>();
        break;
      case Value::Kind::text:
        value = json.at(1).get<std::string>();
        break;
    }
  }
  template <class T>
  static void read(const Json& json, std::vector<T>& items) {
    items.clear();
    for (const Json& item : json.get_ref<const Json::array_t&>()) read(item, items.emplace_back());
  }
  static void read(const Json& json, std::pair<std::string, std::string>& pair) {
    json.at(0).get_to(pair.first);
    json.at(1).get_to(pair.second);
  }
  template <class T>
  static void read(const Json& json, T& member) {
    if constexpr (std::is_enum_v<T>) {
      const int value = json.get<int>();
      if (value < 0 || value > static_cast<int>(last_of(T{}))) throw std::out_of_range("an unknown value");
      member = static_cast<T>(value);
    } else if constexpr (requires { json.get_to(member); }) {
      json.get_to(member);
    } else {
      JsonReader reader{json};
      fields(reader, member);
    }
  }
};

}  // namespace gktune

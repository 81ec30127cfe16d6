#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "tuner/core/fields.h"
#include "tuner/core/value.h"

namespace gktune {

using MessageJson = nlohmann::json;

// Writes structs that have fields(archive, object), and the types of their members.
struct JsonWriter {
  MessageJson object = MessageJson::object();

  template <class T>
  void operator()(const char* name, const T& field) {
    object[name] = written(member_of(field));
  }

  static MessageJson written(const Value& value) {
    MessageJson pair = MessageJson::array({static_cast<int>(value.kind())});
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
  static MessageJson written(const std::vector<T>& items) {
    MessageJson list = MessageJson::array();
    for (const T& item : items) list.push_back(written(item));
    return list;
  }
  static MessageJson written(const std::pair<std::string, std::string>& pair) {
    return MessageJson::array({pair.first, pair.second});
  }
  template <class T>
  static MessageJson written(const T& member) {
    if constexpr (std::is_enum_v<T>) {
      return static_cast<int>(member);
    } else if constexpr (requires { MessageJson(member); }) {
      return MessageJson(member);
    } else {
      JsonWriter writer;
      fields(writer, member);
      return std::move(writer.object);
    }
  }
};

// Reads them. Throws if the JSON does not match.
struct JsonReader {
  const MessageJson& object;

  template <class T>
  void operator()(const char* name, T&& field) {
    read(object.at(name), member_of(field));
  }

  static void read(const MessageJson& json, Value& value) {
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
  static void read(const MessageJson& json, std::vector<T>& items) {
    items.clear();
    for (const MessageJson& item : json.get_ref<const MessageJson::array_t&>())
      read(item, items.emplace_back());
  }
  static void read(const MessageJson& json, std::pair<std::string, std::string>& pair) {
    json.at(0).get_to(pair.first);
    json.at(1).get_to(pair.second);
  }
  template <class T>
  static void read(const MessageJson& json, T& member) {
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

#include "tuner/recording/json_fields.h"

#include <cmath>
#include <cstdint>
#include <limits>

namespace gktune {
namespace {

double amount_of(const RecordedJson& json, const char* name) {
  if (!json.is_number()) throw BadRecording{std::string("'") + name + "' is not a number"};
  const double number = json.get<double>();
  if (!std::isfinite(number) || number < 0)
    throw BadRecording{std::string("'") + name + "' is " + json.dump() + ", not an amount"};
  return number;
}

const RecordedJson* find(const RecordedJson& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

const RecordedJson& field(const RecordedJson& object, const char* name) {
  const RecordedJson* found = object.is_object() ? find(object, name) : nullptr;
  if (found == nullptr) throw BadRecording{std::string("'") + name + "' is missing"};
  return *found;
}

const RecordedJson& object_field(const RecordedJson& object, const char* name) {
  const RecordedJson& found = field(object, name);
  if (!found.is_object()) throw BadRecording{std::string("'") + name + "' is not an object"};
  return found;
}

const RecordedJson& array_field(const RecordedJson& object, const char* name) {
  const RecordedJson& found = field(object, name);
  if (!found.is_array()) throw BadRecording{std::string("'") + name + "' is not an array"};
  return found;
}

double amount(const RecordedJson& object, const char* name) {
  const RecordedJson* found = find(object, name);
  return found == nullptr ? 0 : amount_of(*found, name);
}

std::vector<double> amounts(const RecordedJson& object, const char* name) {
  std::vector<double> read;
  if (find(object, name) == nullptr) return read;
  for (const RecordedJson& each : array_field(object, name)) read.push_back(amount_of(each, name));
  return read;
}

std::string text_field(const RecordedJson& object, const char* name) {
  const RecordedJson* found = find(object, name);
  if (found == nullptr) return {};
  if (!found->is_string()) throw BadRecording{std::string("'") + name + "' is not a text"};
  return found->get<std::string>();
}

Value value_of(const RecordedJson& json, const std::string& parameter) {
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_string()) return Value(json.get<std::string>());
  if (json.is_number_float()) return Value(json.get<double>());
  if (json.is_number_unsigned() &&
      json.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
    throw BadRecording{"the value " + json.dump() + " of '" + parameter + "' does not fit in 64 bits"};
  }
  if (json.is_number_integer()) return Value(json.get<std::int64_t>());
  throw BadRecording{"the value of '" + parameter + "' is neither a number nor a text, true or false"};
}

}  // namespace gktune

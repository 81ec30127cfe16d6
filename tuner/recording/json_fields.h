#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tuner/core/value.h"

namespace gktune {

// Reads fields of a recording's JSON. A field that is missing or of the wrong kind throws BadRecording, which
// read_recording_text turns into an Error.
struct BadRecording {
  std::string message;
};

using RecordedJson = nlohmann::json;

const RecordedJson& field(const RecordedJson& object, const char* name);
const RecordedJson& object_field(const RecordedJson& object, const char* name);
const RecordedJson& array_field(const RecordedJson& object, const char* name);
// A time or a count: finite and not negative. Missing or null: 0.
double amount(const RecordedJson& object, const char* name);
std::vector<double> amounts(const RecordedJson& object, const char* name);
// Missing or null: empty.
std::string text_field(const RecordedJson& object, const char* name);
// The value of a parameter: a number, a text, true or false.
Value value_of(const RecordedJson& json, const std::string& parameter);

}  // namespace gktune

#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "gktune/values.h"
#include "tuner/recording/recording.h"

namespace gktune {

// Reads fields of a file's JSON. A field that is missing or of the wrong kind throws BadFile, which the readers
// of files turn into an Error.
struct BadFile {
  std::string message;
};

using RecordedJson = nlohmann::json;

const RecordedJson& field(const RecordedJson& object, const char* name);
// Missing or null: empty.
std::string text_field(const RecordedJson& object, const char* name);
// A number, a text, true or false; nothing for other JSON and for integers of more than 64 bits.
std::optional<Value> plain_value(const RecordedJson& json);

// The formats of Kernel Tuner: its cache files, and results in the T4 format. Both throw BadFile.
Recording read_cache(const RecordedJson& file);
Recording read_t4(const RecordedJson& file);

// The name that cache files give to a failure.
std::string_view name_in_cache(Status status);

}  // namespace gktune

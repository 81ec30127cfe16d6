#pragma once

#include <nlohmann/json.hpp>

#include "tuner/core/named_values.h"

namespace gktune {

// JSON with sorted names: one text for equal contents.
using SortedJson = nlohmann::json;

// Keeps the kind of each value. Values that are not finite become null.
SortedJson sorted_json(const Value& value);
SortedJson sorted_json(const NamedValues& values);
// The opposite; null becomes NaN. Throws sqlite::Failure for other JSON.
Value value_from(const SortedJson& json);
NamedValues values_from(const SortedJson& json);

}  // namespace gktune

#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "gktune/values.h"

namespace gktune {

// JSON with sorted names: one text for equal contents.
using SortedJson = nlohmann::json;

// The values from the output of NamedValues::json(). Throws sql::Failure for other JSON.
NamedValues values_from_json(std::string_view json);

// The JSON that identifies these values in the database. Throws sql::Failure for values that JSON cannot
// represent: a real that is not finite, a text with a zero byte. `what` names the values in the message.
std::string identity_json(const NamedValues& values, const std::string& what);

}  // namespace gktune

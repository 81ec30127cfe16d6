#pragma once

#include <string>
#include <string_view>

#include "tuner/core/named_values.h"

namespace gktune {

// The JSON that identifies these values in the database. Throws sqlite::Failure for values that JSON cannot
// represent: a real that is not finite, a text with a zero byte. `what` names the values in the message.
std::string identity_json(const NamedValues& values, const std::string& what);

// Reads the output of NamedValues::json() and keeps the kind of each value; null becomes NaN. Throws
// sqlite::Failure for anything else.
NamedValues values_from_json(std::string_view json);

}  // namespace gktune

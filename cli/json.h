#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "db/identity.h"
#include "tuner/core/device_info.h"
#include "tuner/core/trial.h"

namespace gktune {

// What --json reports: names stay in the order in which they were set.
using Json = nlohmann::ordered_json;

Json json_of(const Value& value);
Json json_of(const NamedValues& values);
Json json_of(const DeviceInfo& device);
Json json_of(const DeviceIdentity& device);
// With what the command line shows of a trial; samples are in the database.
Json json_of(const Trial& trial);

// Indented, with a line end; bytes that are no UTF-8 (a compiler's log) are replaced.
void print(std::ostream& stream, const Json& json);

}  // namespace gktune

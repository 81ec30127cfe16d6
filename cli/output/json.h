#pragma once

#include <iosfwd>
#include <nlohmann/json.hpp>

#include "db/identity.h"
#include "tuner/core/device_info.h"
#include "tuner/core/trial.h"
#include "tuner/space/solver/count.h"

namespace gktune {

// A report for scripts. Names keep the order in which they were set.
using Json = nlohmann::ordered_json;

// Null for 0 and below, which mean unknown: a time, a date.
template <class Number>
Json json_above_zero(Number figure) {
  return figure > 0 ? Json(figure) : Json();
}
// A number, which is only approximate beyond 64 bits.
Json json_of_count(const Count& count);
Json json_of(const Value& value);
Json json_of(const NamedValues& values);
// Figures that the device does not report, and limits that it does not have, are null.
Json json_of(const DeviceInfo& device);
Json json_of(const DeviceIdentity& device);
Json json_of(const Resources& resources);
// The figures of a trial without its single samples. Unknown ones are null.
Json json_of(const Trial& trial);

// Prints it indented. Bytes that are not UTF-8 (in a compiler's log) are replaced.
void print(std::ostream& stream, const Json& json);
// The same in one line.
void print_line(std::ostream& stream, const Json& json);

}  // namespace gktune

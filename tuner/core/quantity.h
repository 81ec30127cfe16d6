#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "gktune/result.h"
#include "gktune/values.h"

namespace gktune {

// Numbers, sizes, counts and durations, as flags, space files and expressions write them.

// An integer (1048576, 0x40, 64Ki; also Mi, Gi, Ti) or a real (0.5, 1e-3).
Result<Value> parse_number(std::string_view text);
// A number that is an integer; 1e6 is one.
Result<std::int64_t> parse_integer(std::string_view text);
Result<std::int64_t> parse_count(std::string_view text);  // an integer, 0 or above
// Seconds: 60, or a number with a unit: us, ms, s, m or min, h, d.
Result<double> parse_seconds(std::string_view text);
// A share: 0.02 for 2% or 2 %. Only 0 needs no sign, so that 0.02 is not taken for 2 %.
Result<double> parse_percent(std::string_view text);
// Reads a word as an integer, real, boolean or text.
Value parse_value(std::string_view text);

std::string format_size(std::int64_t value);        // 1Mi for a whole number of those, else the digits
std::string format_value(const Value& value);       // as parse_value reads it
std::string format_count(std::string_view digits);  // 1,048,576
std::string format_count(std::int64_t value);
std::string format_byte_count(std::size_t count);  // 1 byte, 2 bytes

// Seconds of the steady clock.
inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// The present time in milliseconds since 1970.
inline std::int64_t now_unix_ms() {
  const auto since_epoch = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(since_epoch).count();
}

}  // namespace gktune

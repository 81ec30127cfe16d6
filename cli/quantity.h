#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tuner/core/result.h"
#include "tuner/core/value.h"

namespace gktune {

// Numbers as people write them and read them.

Result<std::int64_t> parse_integer(std::string_view text);  // 1048576, 1Mi, 1e6
Result<std::int64_t> parse_count(std::string_view text);    // the same, but not below 0
Result<double> parse_seconds(std::string_view text);        // 60, 60s, 500ms, 2m, 1h30m
// What a problem's axis is worth: an integer where it reads as one, then a real, a boolean, a text.
Value parse_value(std::string_view text);

std::string format_size(std::int64_t value);   // 1Mi for what is a whole number of those, else the digits
std::string format_value(const Value& value);  // as parse_value reads it
std::string format_bytes(std::int64_t bytes);  // 139.8 GiB
std::string format_count(std::string_view digits);  // 1,048,576
std::string format_count(std::int64_t value);
std::string format_time_us(double time_us);     // 812 ns, 12.4 µs, 3.21 ms, 1.20 s
std::string format_seconds(double seconds);     // 45 s, 2 m 05 s, 1 h 02 m
std::string format_number(double value);        // four digits that count: 4613, 12.35, 0.9876
std::string format_percent(double share);       // 0.0123 → 1.2 %
std::string format_date(std::int64_t unix_ms);  // 2024-05-31 17:20, in UTC

}  // namespace gktune

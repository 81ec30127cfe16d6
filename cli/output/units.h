#pragma once

#include <cstdint>
#include <string>

#include "tuner/core/quantity.h"

namespace gktune {

// Quantities as screens show them.

std::string format_bytes(std::int64_t bytes);  // 139.8 GiB
std::string format_time_us(double time_us);    // 812 ns, 12.4 µs, 3.21 ms, 1.20 s
std::string format_seconds(double seconds);    // 45 s, 2 m 05 s, 1 h 02 m
std::string format_number(double value);       // four significant digits: 4613, 12.35, 0.9876
std::string format_percent(double share);      // 0.0123 → 1.2 %
std::string format_things(std::int64_t count, std::string noun);  // 1 trial, 2,000 trials, 2 studies
std::string format_date(std::int64_t unix_ms);                    // 2024-05-31 17:20, in UTC; 0 is unknown: -

// The unit of a column decides how its numbers are shown. Without a unit an integer is not grouped: an id.
enum class Unit { none, count, bytes, microseconds, seconds, share, unix_ms, bar };
std::string format_in(Unit unit, double value);

// A bar to the right for a share, in eighths of a character.
std::string bar(double share, std::size_t columns);

}  // namespace gktune

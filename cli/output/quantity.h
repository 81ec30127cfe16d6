#pragma once

#include <cstdint>
#include <string>

#include "tuner/core/quantity.h"

namespace gktune {

// Quantities as screens show them.

std::string format_bytes(std::int64_t bytes);   // 139.8 GiB
std::string format_time_us(double time_us);     // 812 ns, 12.4 µs, 3.21 ms, 1.20 s
std::string format_seconds(double seconds);     // 45 s, 2 m 05 s, 1 h 02 m
std::string format_number(double value);        // four significant digits: 4613, 12.35, 0.9876
std::string format_percent(double share);       // 0.0123 → 1.2 %
std::string format_things(std::int64_t count, std::string noun);  // 1 trial, 2,000 trials, 2 studies
std::string format_date(std::int64_t unix_ms);  // 2024-05-31 17:20, in UTC; 0 is unknown: -

}  // namespace gktune

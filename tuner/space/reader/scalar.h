#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gktune/values.h"
#include "tuner/space/reader/error_list.h"

namespace gktune {

// A number as written: digits * 10^exponent.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

// These functions add an error and return nothing if the node has another form.
std::optional<Value> read_value(const YamlNode& node, ErrorList& errors);
std::optional<std::int64_t> read_integer(const YamlNode& node, ErrorList& errors);
std::optional<Decimal> read_decimal(const YamlNode& node, ErrorList& errors);
std::optional<std::string> read_text(const YamlNode& node, ErrorList& errors);
// A duration above 0.
std::optional<double> read_seconds(const YamlNode& node, ErrorList& errors);

// The double that is nearest to the number.
double decimal_number(const Decimal& decimal);
// The digits of the same number with this exponent; nothing if they exceed 64 bits.
std::optional<std::int64_t> rescaled(const Decimal& decimal, int exponent);

}  // namespace gktune

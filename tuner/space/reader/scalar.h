#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "tuner/core/value.h"
#include "tuner/space/reader/complaints.h"

namespace gktune {

// A number as it is written: digits * 10^exponent.
struct Decimal {
  std::int64_t digits = 0;
  int exponent = 0;
};

// Each complains and answers nothing where the node is something else.
std::optional<Value> read_value(const YamlNode& node, Complaints& complaints);
std::optional<std::int64_t> read_integer(const YamlNode& node, Complaints& complaints);
std::optional<Decimal> read_decimal(const YamlNode& node, Complaints& complaints);
std::optional<std::string> read_text(const YamlNode& node, Complaints& complaints);
// A duration above 0.
std::optional<double> read_seconds(const YamlNode& node, Complaints& complaints);

// The double nearest to it.
double decimal_number(const Decimal& decimal);
// Nothing where it would take more than 64 bits.
std::optional<std::int64_t> rescaled(const Decimal& decimal, int exponent);

}  // namespace gktune

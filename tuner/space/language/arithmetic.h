#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "gktune/result.h"
#include "gktune/values.h"
#include "tuner/space/language/expression_node.h"

namespace gktune {

// The reason why an operation has no result, and the operand at fault.
struct ArithmeticFailure {
  static constexpr int kWhole = -1;
  std::string message;
  int operand = kWhole;
};

// Computes an operation as Python does, with 64-bit integers; an overflow is a failure. Booleans count as 0
// and 1. Does not accept comparisons and `in`.
Result<Value, ArithmeticFailure> calculate(Operation operation, std::span<const Value> operands);

// Compares integers and reals by their exact values. A text can only be compared with a text.
Result<bool, ArithmeticFailure> compare(Operation operation, const Value& left, const Value& right);

// The truth of a value. A text has none: that is a failure.
Result<bool, ArithmeticFailure> truth(const Value& value);

// Rounded down. Requires b != 0, and not INT64_MIN / -1.
std::int64_t floor_divide(std::int64_t a, std::int64_t b);
std::int64_t floor_modulo(std::int64_t a, std::int64_t b);

}  // namespace gktune

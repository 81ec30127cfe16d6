#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "tuner/core/result.h"
#include "tuner/core/value.h"
#include "tuner/space/language/expression_node.h"

namespace gktune {

// Why an operation has no result, and which of its operands is to blame.
struct ArithmeticFailure {
  static constexpr int kWhole = -1;
  std::string message;
  int operand = kWhole;
};

// Python's meaning, with 64-bit integers that never wrap. Booleans count as 0 and 1. Comparisons and `in` are
// not among the operations here.
Result<Value, ArithmeticFailure> calculate(Operation operation, std::span<const Value> operands);

// Integers and reals compare by their exact worth. Texts compare with texts alone.
Result<bool, ArithmeticFailure> compare(Operation operation, const Value& left, const Value& right);

// A text is neither true nor false.
Result<bool, ArithmeticFailure> truth(const Value& value);

// Rounded down. Requires b != 0, and not INT64_MIN / -1.
std::int64_t floor_divide(std::int64_t a, std::int64_t b);
std::int64_t floor_modulo(std::int64_t a, std::int64_t b);

}  // namespace gktune

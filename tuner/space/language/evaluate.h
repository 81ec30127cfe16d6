#pragma once

#include "tuner/core/result.h"
#include "tuner/space/language/expression.h"
#include "tuner/space/language/expression_node.h"

namespace gktune {

// The worth of one node; `and` and `or` yield the operand that decided, as in Python.
Result<Value, ExpressionError> evaluate(const ExpressionNode& node, const Scope& scope);

// Evaluates a condition.
Result<bool, ExpressionError> evaluate_truth(const ExpressionNode& node, const Scope& scope);

}  // namespace gktune

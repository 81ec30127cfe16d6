#pragma once

#include <algorithm>
#include <functional>
#include <ranges>

#include "tuner/core/result.h"
#include "tuner/space/language/expression.h"
#include "tuner/space/language/expression_node.h"

namespace gktune {

// The value of one node; `and` and `or` yield the operand that decided, as in Python.
Result<Value, ExpressionError> evaluate(const ExpressionNode& node, const Scope& scope);

// Evaluates a condition.
Result<bool, ExpressionError> evaluate_truth(const ExpressionNode& node, const Scope& scope);

// True if every condition holds. One that cannot be evaluated does not. `expression_of` gives an element's expression.
template <std::ranges::input_range Conditions, class Projection = std::identity>
bool all_hold(const Conditions& conditions, const Scope& scope, Projection expression_of = {}) {
  return std::ranges::all_of(conditions, [&](const auto& condition) {
    const auto truth = evaluate_truth(std::invoke(expression_of, condition).root(), scope);
    return truth && *truth;
  });
}

}  // namespace gktune

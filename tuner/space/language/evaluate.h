#pragma once

#include <algorithm>
#include <functional>
#include <ranges>

#include "gktune/result.h"
#include "tuner/space/language/expression.h"
#include "tuner/space/language/expression_node.h"

namespace gktune {

// Evaluates a node. As in Python, `and` and `or` return the operand that decided.
Result<Value, ExpressionError> evaluate(const ExpressionNode& node, const Scope& scope);

// Evaluates a condition.
Result<bool, ExpressionError> evaluate_truth(const ExpressionNode& node, const Scope& scope);

// True if every condition holds. A condition that cannot be evaluated does not hold. `expression_of` returns
// the expression of an element.
template <std::ranges::input_range Conditions, class Projection = std::identity>
bool all_hold(const Conditions& conditions, const Scope& scope, Projection expression_of = {}) {
  return std::ranges::all_of(conditions, [&](const auto& condition) {
    const auto truth = evaluate_truth(std::invoke(expression_of, condition).root(), scope);
    return truth && *truth;
  });
}

}  // namespace gktune

#include <algorithm>
#include <utility>
#include <vector>

#include "tuner/core/text.h"
#include "tuner/space/language/expression.h"

namespace gktune {
namespace {

using Evaluated = Result<Value, ExpressionError>;
using Judged = Result<bool, ExpressionError>;

ExpressionError error_at(const ExpressionNode& node, std::string message) {
  return {std::move(message), node.offset, std::max<std::size_t>(1, node.length)};
}

ExpressionError error_at(const ExpressionNode& node, const ArithmeticFailure& failure) {
  if (failure.operand == ArithmeticFailure::kWhole) return error_at(node, failure.message);
  return error_at(*node.operands[static_cast<std::size_t>(failure.operand)], failure.message);
}

Judged judge(const ExpressionNode& node, const Value& value) {
  const auto judged = truth(value);
  if (!judged) return error_at(node, judged.error().message);
  return *judged;
}

Evaluated evaluate_name(const ExpressionNode& node, const Scope& scope) {
  if (const Value* value = scope.find(node.name)) return *value;
  return error_at(node, "unknown name '" + node.name + "'" + did_you_mean(node.name, scope.names()));
}

Evaluated evaluate_apply(const ExpressionNode& node, const Scope& scope) {
  std::vector<Value> operands;
  operands.reserve(node.operands.size());
  for (const NodePtr& operand : node.operands) {
    operands.push_back(GKTUNE_TRY(evaluate(*operand, scope)));
  }
  auto result = calculate(node.operation, operands);
  if (!result) return error_at(node, result.error());
  return std::move(*result);
}

Judged is_in_list(const ExpressionNode& node, const Value& value, const ExpressionNode& list,
                  const Scope& scope) {
  for (const NodePtr& item : list.operands) {
    const auto candidate = GKTUNE_TRY(evaluate(*item, scope));
    const auto is_equal = compare(Operation::equal, value, candidate);
    if (!is_equal) return error_at(node, is_equal.error());
    if (*is_equal) return true;
  }
  return false;
}

// a < b < c evaluates each operand once, and c only if a < b.
Evaluated evaluate_comparison(const ExpressionNode& node, const Scope& scope) {
  auto left = evaluate(*node.operands[0], scope);
  if (!left) return left;
  for (std::size_t i = 0; i < node.comparisons.size(); ++i) {
    const Operation operation = node.comparisons[i];
    const ExpressionNode& operand = *node.operands[i + 1];
    if (operand.kind == ExpressionNode::Kind::list) {
      const auto is_in = GKTUNE_TRY(is_in_list(node, *left, operand, scope));
      return Value(is_in == (operation == Operation::contained));
    }
    auto right = GKTUNE_TRY(evaluate(operand, scope));
    const auto holds = compare(operation, *left, right);
    if (!holds) return error_at(node, holds.error());
    if (!*holds) return Value(false);
    left = std::move(right);
  }
  return Value(true);
}

// and, or: the first operand that decides, else the last.
Evaluated evaluate_junction(const ExpressionNode& node, const Scope& scope) {
  const bool decisive = node.kind == ExpressionNode::Kind::disjunction;
  for (const NodePtr& operand : node.operands) {
    auto value = GKTUNE_TRY(evaluate(*operand, scope));
    const auto judged = GKTUNE_TRY(judge(*operand, value));
    if (judged == decisive || operand == node.operands.back()) return value;
  }
  return Value(!decisive);
}

}  // namespace

Result<Value, ExpressionError> evaluate(const ExpressionNode& node, const Scope& scope) {
  switch (node.kind) {
    case ExpressionNode::Kind::constant:
      return node.value;
    case ExpressionNode::Kind::name:
      return evaluate_name(node, scope);
    case ExpressionNode::Kind::apply:
      return evaluate_apply(node, scope);
    case ExpressionNode::Kind::comparison:
      return evaluate_comparison(node, scope);
    case ExpressionNode::Kind::list:
      break;
    case ExpressionNode::Kind::conjunction:
    case ExpressionNode::Kind::disjunction:
      return evaluate_junction(node, scope);
    case ExpressionNode::Kind::negation: {
      const auto operand = GKTUNE_TRY(evaluate_truth(*node.operands[0], scope));
      return Value(!operand);
    }
    case ExpressionNode::Kind::conditional: {
      const auto condition = GKTUNE_TRY(evaluate_truth(*node.operands[0], scope));
      return evaluate(*node.operands[condition ? 1 : 2], scope);
    }
  }
  return error_at(node, "a list can only follow 'in'");
}

Result<bool, ExpressionError> evaluate_truth(const ExpressionNode& node, const Scope& scope) {
  const auto value = GKTUNE_TRY(evaluate(node, scope));
  return judge(node, value);
}

}  // namespace gktune

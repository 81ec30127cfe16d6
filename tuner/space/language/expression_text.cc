#include "tuner/space/language/expression_text.h"

#include <stdexcept>
#include <string_view>
#include <utility>

#include "tuner/core/text.h"
#include "tuner/space/language/expression_node.h"

namespace gktune {
namespace {

// The symbol of an operator, or the name of a function.
std::string_view spelling(Operation operation) {
  switch (operation) {
    case Operation::add:
      return "+";
    case Operation::subtract:
    case Operation::negate:
      return "-";
    case Operation::multiply:
      return "*";
    case Operation::divide:
      return "/";
    case Operation::floor_divide:
      return "//";
    case Operation::modulo:
      return "%";
    case Operation::power:
      return "**";
    case Operation::identity:
      return "+";
    case Operation::equal:
      return "==";
    case Operation::not_equal:
      return "!=";
    case Operation::less:
      return "<";
    case Operation::less_equal:
      return "<=";
    case Operation::greater:
      return ">";
    case Operation::greater_equal:
      return ">=";
    case Operation::contained:
      return "in";
    case Operation::not_contained:
      return "not in";
    case Operation::absolute:
      return "abs";
    case Operation::ceil_divide:
      return "ceil_div";
    case Operation::ceiling:
      return "ceil";
    case Operation::floor:
      return "floor";
    case Operation::greatest_divisor:
      return "gcd";
    case Operation::integer_log2:
      return "ilog2";
    case Operation::log2:
      return "log2";
    case Operation::maximum:
      return "max";
    case Operation::minimum:
      return "min";
    case Operation::round_up:
      return "round_up";
    case Operation::square_root:
      return "sqrt";
    case Operation::to_integer:
      return "int";
    case Operation::to_real:
      return "float";
  }
  return "";
}

bool is_function(Operation operation) { return operation >= Operation::absolute; }

std::string quoted(std::string_view text) {
  std::string literal = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') literal += '\\';
    literal += c;
  }
  return literal + '"';
}

std::string text_of(const ExpressionNode& node);

std::string operands_text(const ExpressionNode& node, std::string_view separator) {
  return joined(node.operands, separator, [](const NodePtr& operand) { return text_of(*operand); });
}

std::string apply_text(const ExpressionNode& node) {
  const std::string symbol(spelling(node.operation));
  if (is_function(node.operation)) return symbol + '(' + operands_text(node, ", ") + ')';
  if (node.operands.size() == 1) return '(' + symbol + text_of(*node.operands[0]) + ')';
  return '(' + operands_text(node, ' ' + symbol + ' ') + ')';
}

std::string text_of(const ExpressionNode& node) {
  switch (node.kind) {
    case ExpressionNode::Kind::constant:
      return node.value.is_text() ? quoted(node.value.text()) : node.value.json();
    case ExpressionNode::Kind::name:
      return node.name;
    case ExpressionNode::Kind::apply:
      return apply_text(node);
    case ExpressionNode::Kind::comparison: {
      std::string text = '(' + text_of(*node.operands[0]);
      for (std::size_t i = 0; i < node.comparisons.size(); ++i) {
        text += ' ' + std::string(spelling(node.comparisons[i])) + ' ' + text_of(*node.operands[i + 1]);
      }
      return text + ')';
    }
    case ExpressionNode::Kind::list:
      return '[' + operands_text(node, ", ") + ']';
    case ExpressionNode::Kind::conjunction:
      return '(' + operands_text(node, " and ") + ')';
    case ExpressionNode::Kind::disjunction:
      return '(' + operands_text(node, " or ") + ')';
    case ExpressionNode::Kind::negation:
      return "(not " + text_of(*node.operands[0]) + ')';
    case ExpressionNode::Kind::conditional:
      break;
  }
  return '(' + text_of(*node.operands[1]) + " if " + text_of(*node.operands[0]) + " else " +
         text_of(*node.operands[2]) + ')';
}

}  // namespace

std::string expanded_text(const Expression& expression) { return text_of(expression.root()); }

void set_from_text(Expression& expression, const std::string& text) {
  auto parsed = Expression::parse(text);
  if (!parsed) throw std::runtime_error(parsed.error().message);
  expression = *std::move(parsed);
}

}  // namespace gktune

#include "tuner/space/language/expression.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "tuner/core/text.h"

namespace gktune {
namespace {

void collect_names(const ExpressionNode& node, std::vector<Expression::NameUse>& names) {
  if (node.kind == ExpressionNode::Kind::name) names.push_back({node.name, node.offset});
  for (const NodePtr& operand : node.operands) collect_names(*operand, names);
}

std::vector<Expression::NameUse> names_of(const ExpressionNode& root) {
  std::vector<Expression::NameUse> names;
  collect_names(root, names);
  // Only `x if c else y` has its operands in another order than the text.
  std::ranges::stable_sort(names, {}, &Expression::NameUse::offset);
  return names;
}

// Finds the brace that closes the one opened before `at`; ignores braces inside quoted strings.
std::size_t closing_brace(std::string_view text, std::size_t at) {
  char quote = '\0';
  for (; at < text.size(); ++at) {
    if (quote != '\0') {
      if (text[at] == '\\') {
        ++at;
      } else if (text[at] == quote) {
        quote = '\0';
      }
    } else if (text[at] == '"' || text[at] == '\'') {
      quote = text[at];
    } else if (text[at] == '}') {
      return at;
    }
  }
  return std::string_view::npos;
}

// Puts definitions in the place of names.
class Inliner {
 public:
  explicit Inliner(const std::map<std::string, Expression>& definitions) : definitions_(definitions) {}

  NodePtr put_in(const NodePtr& node) {
    if (node->kind == ExpressionNode::Kind::name) {
      const auto definition = definitions_.find(node->name);
      return definition == definitions_.end() ? node : moved(definition->second.root(), *node);
    }
    bool changed = false;
    ExpressionNode copy = *node;
    for (NodePtr& operand : copy.operands) {
      NodePtr replaced = put_in(operand);
      if (replaced == nullptr) return nullptr;
      changed = changed || replaced != operand;
      operand = std::move(replaced);
    }
    return changed ? measured(std::move(copy)) : node;
  }

  // Error that names the definition which made the expression too large.
  const std::optional<ExpressionError>& error() const { return error_; }

 private:
  // A copy of a definition that says it stands where the name stands.
  NodePtr moved(const ExpressionNode& definition, const ExpressionNode& name) {
    ExpressionNode copy = definition;
    copy.offset = name.offset;
    copy.length = name.length;
    for (NodePtr& operand : copy.operands) {
      operand = moved(*operand, name);
      if (operand == nullptr) return nullptr;
    }
    return measured(std::move(copy));
  }

  NodePtr measured(ExpressionNode node) {
    const std::size_t offset = node.offset, length = node.length;
    NodePtr made = ++made_ <= kLargestExpression ? make_node(std::move(node)) : nullptr;
    if (!made && !error_) {
      error_ =
          ExpressionError{"this expression is too long after its definitions are inserted", offset, length};
    }
    return made;
  }

  const std::map<std::string, Expression>& definitions_;
  std::uint64_t made_ = 0;  // nodes
  std::optional<ExpressionError> error_;
};

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
  const std::string symbol(enum_name(node.operation));
  if (node.operation >= kFirstFunction) return symbol + '(' + operands_text(node, ", ") + ')';
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
        text += ' ' + std::string(enum_name(node.comparisons[i])) + ' ' + text_of(*node.operands[i + 1]);
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

Scope& Scope::add(const NamedValues& values, std::string_view prefix) {
  layers_.push_back({std::string(prefix), &values});
  return *this;
}

Scope& Scope::add(const Scope& scope) {
  const std::vector<Layer> added = scope.layers_;
  layers_.insert(layers_.end(), added.begin(), added.end());
  return *this;
}

const Value* Scope::find(std::string_view name) const {
  for (const Layer& layer : layers_) {
    if (!name.starts_with(layer.prefix)) continue;
    if (const Value* value = layer.values->find(name.substr(layer.prefix.size()))) return value;
  }
  return nullptr;
}

std::vector<std::string> Scope::names() const {
  std::vector<std::string> names;
  for (const Layer& layer : layers_) {
    for (const auto& [name, value] : *layer.values) names.push_back(layer.prefix + name);
  }
  return names;
}

EnumNames enum_names(Operation) {
  static constexpr std::string_view kNames[] = {"+",   "-",   "*",        "/",        "//",     "%",
                                                "**",  "-",   "+",        "==",       "!=",     "<",
                                                "<=",  ">",   ">=",       "in",       "not in", "min",
                                                "max", "abs", "ceil_div", "round_up", "log2",   "ilog2",
                                                "gcd", "int", "float",    "floor",    "ceil",   "sqrt"};
  return kNames;
}

NodePtr make_node(ExpressionNode node) {
  node.depth = 1;
  node.size = 1;
  for (const NodePtr& operand : node.operands) {
    node.depth = std::max(node.depth, operand->depth + 1);
    node.size += operand->size;
  }
  if (node.depth > kDeepestExpression || node.size > kLargestExpression) return nullptr;
  return std::make_shared<const ExpressionNode>(std::move(node));
}

Result<Expression, ExpressionError> Expression::parse(std::string_view text) {
  auto root = GKTUNE_TRY(parse_expression(text));
  Expression expression;
  expression.text_ = std::string(text);
  expression.root_ = std::move(root);
  expression.names_ = names_of(*expression.root_);
  return expression;
}

Result<Expression, ExpressionError> Expression::inlined(
    const std::map<std::string, Expression>& definitions) const {
  Inliner inliner(definitions);
  Expression expression = *this;
  expression.root_ = inliner.put_in(root_);
  if (expression.root_ == nullptr) return *inliner.error();
  expression.names_ = names_of(*expression.root_);
  return expression;
}

std::string field_text(const Expression& expression) { return text_of(expression.root()); }

void set_from_text(Expression& expression, const std::string& text) {
  auto parsed = Expression::parse(text);
  if (!parsed) throw std::runtime_error(parsed.error().message);
  expression = *std::move(parsed);
}

Result<std::vector<PatternPiece>, ExpressionError> split_pattern(std::string_view text) {
  std::vector<PatternPiece> pieces;
  const auto add_literal = [&](char c, std::size_t offset) {
    if (pieces.empty() || pieces.back().kind != PatternPiece::Kind::literal) {
      pieces.push_back({PatternPiece::Kind::literal, {}, offset});
    }
    pieces.back().text += c;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c != '{' && c != '}') {
      add_literal(c, at);
    } else if (at + 1 < text.size() && text[at + 1] == c) {
      add_literal(c, at++);
    } else if (c == '}') {
      return ExpressionError{"unmatched closing brace; write }} for a brace", at, 1};
    } else {
      const std::size_t end = closing_brace(text, at + 1);
      if (end == std::string_view::npos) {
        return ExpressionError{"unclosed brace; write {{ for a brace", at, 1};
      }
      pieces.push_back(
          {PatternPiece::Kind::expression, std::string(text.substr(at + 1, end - at - 1)), at + 1});
      at = end;
    }
  }
  return pieces;
}

Result<std::string, ExpressionError> Pattern::format(const Scope& scope) const {
  std::string formatted;
  for (const Part& part : parts) {
    formatted += part.literal;
    if (!part.expression) continue;
    auto value = GKTUNE_TRY(part.expression->evaluate(scope));
    formatted += value.str();
  }
  return formatted;
}

}  // namespace gktune

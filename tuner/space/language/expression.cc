#include "tuner/space/language/expression.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "tuner/space/language/evaluate.h"
#include "tuner/space/language/expression_node.h"
#include "tuner/space/language/parser.h"

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

Result<Expression, ExpressionError> Expression::parse(std::string_view text) {
  auto root = Parser(text).parse();
  if (!root) return root.error();
  Expression expression;
  expression.text_ = std::string(text);
  expression.root_ = std::move(*root);
  expression.names_ = names_of(*expression.root_);
  return expression;
}

Result<Value, ExpressionError> Expression::evaluate(const Scope& scope) const {
  return gktune::evaluate(*root_, scope);
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

}  // namespace gktune

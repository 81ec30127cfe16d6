#include "tuner/space/language/expression_node.h"

#include <algorithm>
#include <utility>

namespace gktune {

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

}  // namespace gktune

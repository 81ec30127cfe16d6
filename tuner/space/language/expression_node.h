#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gktune/values.h"

namespace gktune {

// Operation of an expression node.
enum class Operation {
  add,
  subtract,
  multiply,
  divide,
  floor_divide,
  modulo,
  power,
  negate,
  identity,
  equal,
  not_equal,
  less,
  less_equal,
  greater,
  greater_equal,
  contained,
  not_contained,
  absolute,
  ceil_divide,
  ceiling,
  floor,
  greatest_divisor,
  integer_log2,
  log2,
  maximum,
  minimum,
  round_up,
  square_root,
  to_integer,
  to_real,
};

struct ExpressionNode;
using NodePtr = std::shared_ptr<const ExpressionNode>;

// A node of a parsed expression. Immutable.
struct ExpressionNode {
  enum class Kind {
    constant,     // value
    name,         // name
    apply,        // operation on operands: arithmetic and functions
    comparison,   // operands[0] comparisons[0] operands[1] comparisons[1] …
    list,         // only on the right of `in`
    conjunction,  // and, of two or more operands
    disjunction,  // or, of two or more operands
    negation,     // not
    conditional,  // operands: condition, then, else
  };
  Kind kind = Kind::constant;
  Operation operation = Operation::identity;
  Value value;
  std::string name;
  std::vector<NodePtr> operands;
  std::vector<Operation> comparisons;

  std::size_t offset = 0, length = 0;  // its place in the text
  std::uint32_t depth = 1;             // depth of the tree below, this node included
  std::uint64_t size = 1;              // number of nodes in that tree
};

// Limits of an expression: evaluation is recursive, and definitions that contain
// definitions can grow without bound.
constexpr std::uint32_t kDeepestExpression = 1000;
constexpr std::uint64_t kLargestExpression = 100'000;

// Null if the node would exceed these limits.
NodePtr make_node(ExpressionNode node);

}  // namespace gktune

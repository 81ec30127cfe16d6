#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/fields.h"
#include "gktune/values.h"

namespace gktune {

// An error in an expression, and the part of the text at fault.
struct ExpressionError {
  std::string message;
  std::size_t offset = 0;
  std::size_t length = 1;
};

// The values of names, in layers. The first layer that has a name gives its value. The
// values must outlive the scope.
class Scope {
 public:
  Scope& add(const NamedValues& values, std::string_view prefix = {});
  Scope& add(const Scope& scope);  // adds all layers
  const Value* find(std::string_view name) const;
  // All names, with prefixes. Spelling suggestions come from them.
  std::vector<std::string> names() const;

 private:
  struct Layer {
    std::string prefix;
    const NamedValues* values;
  };
  std::vector<Layer> layers_;
};

// Operation of an expression node: arithmetic, comparisons, functions.
enum class Operation {
  add, subtract, multiply, divide, floor_divide, modulo, power, negate, identity,
  equal, not_equal, less, less_equal, greater, greater_equal, contained, not_contained,
  minimum, maximum, absolute, ceil_divide, round_up, log2, integer_log2, greatest_divisor,
  to_integer, to_real, floor, ceiling, square_root
};
constexpr Operation kFirstFunction = Operation::minimum;
EnumNames enum_names(Operation);  // the symbols of operators and the names of functions

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
  Value value = {};
  std::string name = {};
  std::vector<NodePtr> operands = {};
  std::vector<Operation> comparisons = {};

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

// The tree of a text.
Result<NodePtr, ExpressionError> parse_expression(std::string_view text);
// True for keywords, names of functions and other words that cannot be names of the user.
bool is_expression_word(std::string_view word);

// The reason why an operation has no result, and the operand at fault.
struct ArithmeticFailure {
  static constexpr int kWhole = -1;
  std::string message;
  int operand = kWhole;
};

// Computes an operation as Python does, with 64-bit integers; an overflow is a failure. Booleans count as 0
// and 1. Does not accept comparisons and `in`.
Result<Value, ArithmeticFailure> calculate(Operation operation, std::span<const Value> operands);

// Compares integers and reals by their exact values. A text can only be compared with a text.
Result<bool, ArithmeticFailure> compare(Operation operation, const Value& left, const Value& right);

// The truth of a value. A text has none: that is a failure.
Result<bool, ArithmeticFailure> truth(const Value& value);

// Rounded down. Requires b != 0, and not INT64_MIN / -1.
std::int64_t floor_divide(std::int64_t a, std::int64_t b);
std::int64_t floor_modulo(std::int64_t a, std::int64_t b);

// Evaluates a node. As in Python, `and` and `or` return the operand that decided.
Result<Value, ExpressionError> evaluate(const ExpressionNode& node, const Scope& scope);
// Evaluates a condition.
Result<bool, ExpressionError> evaluate_truth(const ExpressionNode& node, const Scope& scope);

// An expression of a constraint, geometry, extent or metric. Operators have Python's precedence and meaning,
// on 64-bit integers, doubles, booleans and strings; see docs/space-file.md.
class Expression {
 public:
  struct NameUse {
    std::string name;
    std::size_t offset;
  };

  static Result<Expression, ExpressionError> parse(std::string_view text);

  const std::string& text() const { return text_; }
  // Every use of a name, in the order of the text.
  const std::vector<NameUse>& names() const { return names_; }
  Result<Value, ExpressionError> evaluate(const Scope& scope) const {
    return gktune::evaluate(*root_, scope);
  }
  // The expression with names replaced by their definitions. It keeps its text, so an error inside a
  // definition points at the name. An error if the result is too large.
  Result<Expression, ExpressionError> inlined(const std::map<std::string, Expression>& definitions) const;
  const ExpressionNode& root() const { return *root_; }

 private:
  std::string text_;
  std::vector<NameUse> names_;
  NodePtr root_;  // immutable, so that copies can share it
};

// How JSON holds expressions; see core/fields_json.h. The text parses to the same expression after inlined():
// it has the definitions in place of their names. Reading throws for a text that is no expression.
std::string field_text(const Expression& expression);
void set_from_text(Expression& expression, const std::string& text);

// A text in which {expression} is replaced with its value.
struct Pattern {
  struct Part {
    std::string literal;                   // comes first
    std::optional<Expression> expression;  // its value follows
  };
  std::vector<Part> parts;
  std::string text;  // as written

  Result<std::string, ExpressionError> format(const Scope& scope) const;
};

GKTUNE_FIELDS(Pattern::Part, literal, expression)

GKTUNE_FIELDS(Pattern, parts, text)

// A part of a pattern's text: literal text, or the text between braces.
struct PatternPiece {
  enum class Kind { literal, expression };
  Kind kind = Kind::literal;
  std::string text;
  std::size_t offset = 0;  // of its first byte in the pattern
};

// Splits a pattern at its braces. {{ and }} mean literal braces.
Result<std::vector<PatternPiece>, ExpressionError> split_pattern(std::string_view text);

// True if every condition holds. A condition that cannot be evaluated does not hold. `expression_of` returns
// the expression of an element.
template <class Conditions, class Projection = std::identity>
bool all_hold(const Conditions& conditions, const Scope& scope, Projection expression_of = {}) {
  return std::ranges::all_of(conditions, [&](const auto& condition) {
    const auto truth = evaluate_truth(std::invoke(expression_of, condition).root(), scope);
    return truth && *truth;
  });
}

}  // namespace gktune

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gktune/values.h"
#include "tuner/space/language/expression.h"
#include "tuner/space/solver/parameter.h"
#include "tuner/space/solver/term.h"

namespace gktune {

// A condition of a constraint: an operand of the constraint's outer `and`, or the whole constraint.
struct Condition {
  std::size_t constraint = 0;  // number of the constraint
  NodePtr node;
  TermId root = TermGraph::kNone;
};

// Turns constraints into terms and inserts known values. If cells cannot encode a part of a constraint, a
// part with one parameter becomes a table, and a part with several is left to the evaluator of expressions.
class ConstraintCompiler {
 public:
  // All arguments must outlive the compiler. The scope has all names except those of
  // parameters with several values.
  ConstraintCompiler(const std::vector<Parameter>& parameters, const Scope& scope, TermGraph& graph);

  // Adds the constraint's conditions. Returns an error for an unknown name.
  std::optional<ExpressionError> compile(std::size_t number, const Expression& constraint,
                                         std::vector<Condition>& conditions);

 private:
  TermId condition(const NodePtr& node);
  // The use of a term. `a and b` is simpler if only its truth matters.
  enum class Use { value, truth };
  TermId value(const NodePtr& node, Use use = Use::value);
  TermId typed_value(const NodePtr& node, Use use);
  TermId operand_of(const ExpressionNode& node, std::size_t i, Use use);
  TermId name(const ExpressionNode& node);
  TermId comparison(const ExpressionNode& node);
  TermId membership(TermId left, const ExpressionNode& list);
  TermId junction(const ExpressionNode& node, Use use);
  TermId conditional(const ExpressionNode& node, Use use);
  TermId folded(const NodePtr& node);
  TermId table(const NodePtr& node, int parameter);
  std::vector<int> parameters_of(const ExpressionNode& node) const;
  CellType type_of(const std::vector<Value>& values) const;

  const std::vector<Parameter>& parameters_;
  const Scope& scope_;
  TermGraph& graph_;
  std::unordered_map<std::string_view, int> numbers_;  // by name, of the parameters with several values
};

}  // namespace gktune

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "tuner/core/named_values.h"
#include "tuner/space/language/expression.h"
#include "tuner/space/solver/parameter.h"
#include "tuner/space/solver/term.h"

namespace gktune {

// One of the conditions whose conjunction the constraints are.
struct Condition {
  std::size_t constraint = 0;  // where it comes from
  NodePtr node;
  TermId root = TermGraph::kNone;
};

// Turns constraints into terms. Inserts known values. A part that cells cannot express becomes a table
// if it depends on one parameter, and is left to the evaluator of expressions if it depends on several.
class ConstraintCompiler {
 public:
  // All must outlive the compiler. The scope knows all names but those of parameters that vary.
  ConstraintCompiler(const std::vector<Parameter>& parameters, const Scope& scope, TermGraph& graph);

  // Adds the constraint's conditions. An error names a name that does not exist.
  std::optional<ExpressionError> compile(std::size_t number, const Expression& constraint,
                                         std::vector<Condition>& conditions);

 private:
  TermId condition(const NodePtr& node);
  // Use of a term: `a and b` is simpler where only its truth matters.
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
  std::unordered_map<std::string_view, int> numbers_;  // of the parameters that are not fixed
};

}  // namespace gktune

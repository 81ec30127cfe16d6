#include <algorithm>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "tuner/core/text.h"
#include "tuner/space/solver/group_plan.h"

namespace gktune {
namespace {

NodePtr derived(const ExpressionNode& from, ExpressionNode node) {
  node.offset = from.offset;
  node.length = from.length;
  return make_node(std::move(node));
}

NodePtr negated(const NodePtr& node) {
  ExpressionNode negation;
  negation.kind = ExpressionNode::Kind::negation;
  negation.operands = {node};
  return derived(*node, std::move(negation));
}

NodePtr link(const ExpressionNode& chain, std::size_t i) {
  ExpressionNode pair;
  pair.kind = ExpressionNode::Kind::comparison;
  pair.operands = {chain.operands[i], chain.operands[i + 1]};
  pair.comparisons = {chain.comparisons[i]};
  return derived(chain, std::move(pair));
}

enum class Sense { holds, fails };

// Splits a condition into conditions that must all hold. Each is decided as soon as its own names are known.
void split(const NodePtr& node, Sense sense, std::vector<NodePtr>& conditions) {
  using Kind = ExpressionNode::Kind;
  if (node->kind == Kind::negation) {
    return split(node->operands[0], sense == Sense::holds ? Sense::fails : Sense::holds, conditions);
  }
  if (node->kind == (sense == Sense::holds ? Kind::conjunction : Kind::disjunction)) {
    for (const NodePtr& operand : node->operands) split(operand, sense, conditions);
    return;
  }
  if (sense == Sense::holds && node->kind == Kind::comparison) {
    for (std::size_t i = 0; i < node->comparisons.size(); ++i) conditions.push_back(link(*node, i));
    return;
  }
  conditions.push_back(sense == Sense::holds ? node : negated(node));
}

// Turns constraints into terms and inserts known values. If cells cannot encode a part of a constraint, a
// part with one parameter becomes a table, and a part with several is left to the evaluator of expressions.
class ConstraintCompiler {
 public:
  ConstraintCompiler(const std::vector<Parameter>& parameters, const Scope& scope, TermGraph& graph)
      : parameters_(parameters), scope_(scope), graph_(graph) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].values.size() > 1) numbers_.emplace(parameters[i].name, static_cast<int>(i));
    }
  }

  // Adds the constraint's conditions. Returns an error for an unknown name.
  std::optional<ExpressionError> compile(std::size_t number, const Expression& constraint,
                                         std::vector<Condition>& conditions) {
    for (const auto& use : constraint.names()) {
      if (numbers_.contains(use.name) || scope_.find(use.name) != nullptr) continue;
      std::vector<std::string> names = scope_.names();
      for (const Parameter& parameter : parameters_) names.push_back(parameter.name);
      return ExpressionError{"unknown name '" + use.name + "'" + did_you_mean(use.name, names), use.offset,
                             use.name.size()};
    }
    std::vector<NodePtr> parts;
    // The root is not owned here, but all below it is.
    const NodePtr root = make_node(constraint.root());
    split(root, Sense::holds, parts);
    // A text of the greatest depth cannot be taken apart.
    if (std::ranges::find(parts, nullptr) != parts.end()) parts = {root};
    for (NodePtr& part : parts) {
      const TermId term = condition(part);
      conditions.push_back({number, std::move(part), term});
    }
    return std::nullopt;
  }

 private:
  // The use of a term. `a and b` is simpler if only its truth matters.
  enum class Use { value, truth };

  TermId condition(const NodePtr& node) {
    const TermId term = graph_.truth(value(node, Use::truth));
    if (term != TermGraph::kNone) return term;
    std::vector<TermId> ranks;
    for (const int parameter : parameters_of(*node)) ranks.push_back(graph_.rank(parameter));
    return ranks.empty() ? graph_.unknown() : graph_.interpret(ranks);
  }

  TermId value(const NodePtr& node, Use use = Use::value) {
    const TermId term = typed_value(node, use);
    if (term != TermGraph::kNone) return term;
    const auto parameters = parameters_of(*node);
    if (parameters.empty()) return folded(node);
    return parameters.size() == 1 ? table(node, parameters[0]) : TermGraph::kNone;
  }

  TermId typed_value(const NodePtr& node, Use use) {
    switch (node->kind) {
      case ExpressionNode::Kind::constant:
        return graph_.constant(node->value);
      case ExpressionNode::Kind::name:
        return name(*node);
      case ExpressionNode::Kind::comparison:
        return comparison(*node);
      case ExpressionNode::Kind::list:
        return TermGraph::kNone;
      case ExpressionNode::Kind::conjunction:
      case ExpressionNode::Kind::disjunction:
        return junction(*node, use);
      case ExpressionNode::Kind::negation:
        return graph_.inverse(operand_of(*node, 0, Use::truth));
      case ExpressionNode::Kind::conditional:
        return conditional(*node, use);
      case ExpressionNode::Kind::apply:
        break;
    }
    std::vector<TermId> operands;
    bool all_constant = true;
    for (const NodePtr& operand : node->operands) {
      operands.push_back(value(operand));
      all_constant = all_constant && graph_.is_constant(operands.back());
    }
    return all_constant ? folded(node) : graph_.arithmetic(node->operation, operands);
  }

  TermId operand_of(const ExpressionNode& node, std::size_t i, Use use) {
    const TermId term = value(node.operands[i], use);
    return use == Use::truth ? graph_.truth(term) : term;
  }

  TermId name(const ExpressionNode& node) {
    if (const auto number = numbers_.find(node.name); number != numbers_.end()) {
      return graph_.parameter(number->second,
                              type_of(parameters_[static_cast<std::size_t>(number->second)].values));
    }
    return graph_.constant(*scope_.find(node.name));
  }

  TermId comparison(const ExpressionNode& node) {
    TermId all = graph_.truth_constant(true);
    TermId left = value(node.operands[0]);
    for (std::size_t i = 0; i < node.comparisons.size(); ++i) {
      const NodePtr& operand = node.operands[i + 1];
      TermId holds = TermGraph::kNone;
      if (operand->kind == ExpressionNode::Kind::list) {
        holds = membership(left, *operand);
        if (node.comparisons[i] == Operation::not_contained) holds = graph_.inverse(holds);
      } else {
        const TermId right = value(operand);
        holds = graph_.compare(node.comparisons[i], left, right);
        left = right;
      }
      all = graph_.both(all, holds);
      // Stop if cells cannot express it, or if it is already false.
      if (all == TermGraph::kNone || all == graph_.truth_constant(false)) break;
    }
    return all;
  }

  TermId membership(TermId left, const ExpressionNode& list) {
    TermId any = graph_.truth_constant(false);
    for (const NodePtr& item : list.operands) {
      const TermId right = value(item);
      any = graph_.either(any, graph_.compare(Operation::equal, left, right));
      if (any == TermGraph::kNone) break;
    }
    return any;
  }

  TermId junction(const ExpressionNode& node, Use use) {
    const bool is_both = node.kind == ExpressionNode::Kind::conjunction;
    TermId all = operand_of(node, 0, use);
    for (std::size_t i = 1; i < node.operands.size(); ++i) {
      const TermId decided = graph_.truth(all);
      if (decided == TermGraph::kNone) return TermGraph::kNone;
      const bool is_constant = graph_.is_constant(decided);
      if (is_constant && graph_[decided].cell == kUnknown) return decided;
      // The operands after it are never evaluated.
      if (is_constant && (graph_[decided].cell == 1) != is_both) return all;
      const TermId next = operand_of(node, i, use);
      if (is_constant) {
        all = next;
      } else if (graph_[all].is_truth && graph_[next].is_truth) {
        all = is_both ? graph_.both(all, next) : graph_.either(all, next);
      } else {
        all = is_both ? graph_.select(decided, next, all) : graph_.select(decided, all, next);
      }
    }
    return all;
  }

  TermId conditional(const ExpressionNode& node, Use use) {
    const TermId condition = operand_of(node, 0, Use::truth);
    if (condition == TermGraph::kNone) return TermGraph::kNone;
    if (graph_.is_constant(condition)) {
      const Cell cell = graph_[condition].cell;
      return cell == kUnknown ? condition : operand_of(node, cell == 1 ? 1 : 2, use);
    }
    const TermId then = operand_of(node, 1, use);
    return graph_.select(condition, then, operand_of(node, 2, use));
  }

  TermId folded(const NodePtr& node) {
    const auto result = evaluate(*node, scope_);
    return result ? graph_.constant(*result) : graph_.unknown();
  }

  TermId table(const NodePtr& node, int parameter) {
    const Parameter& varied = parameters_[static_cast<std::size_t>(parameter)];
    std::vector<Value> results;
    std::vector<std::size_t> failed;
    for (const Value& value : varied.values) {
      const NamedValues point = {{varied.name, value}};
      auto result = evaluate(*node, Scope().add(point).add(scope_));
      if (!result) failed.push_back(results.size() + failed.size());
      if (result) results.push_back(std::move(*result));
    }
    const CellType type = results.empty() ? CellType::integer : type_of(results);
    if (type == CellType::none) return TermGraph::kNone;
    std::vector<Cell> column;
    auto result = results.begin();
    for (std::size_t rank = 0; rank < varied.values.size(); ++rank) {
      const bool has_failed = std::ranges::binary_search(failed, rank);
      column.push_back(has_failed ? unknown_of(type) : graph_.cell(*result++));
    }
    return graph_.table(parameter, type, std::move(column));
  }

  std::vector<int> parameters_of(const ExpressionNode& node) const {
    std::set<int> found;
    const auto visit = [&](const ExpressionNode& below, const auto& self) -> void {
      if (below.kind == ExpressionNode::Kind::name) {
        if (const auto number = numbers_.find(below.name); number != numbers_.end())
          found.insert(number->second);
      }
      for (const NodePtr& operand : below.operands) self(*operand, self);
    };
    visit(node, visit);
    return {found.begin(), found.end()};
  }

  static CellType type_of(const std::vector<Value>& values) {
    const auto type = [](const Value& value) {
      if (value.is_text()) return CellType::text;
      return value.is_real() ? CellType::real : CellType::integer;
    };
    const CellType first = type(values.front());
    return std::ranges::all_of(values, [&](const Value& value) { return type(value) == first; })
               ? first
               : CellType::none;
  }

  const std::vector<Parameter>& parameters_;
  const Scope& scope_;
  TermGraph& graph_;
  std::unordered_map<std::string_view, int> numbers_;  // by name, of the parameters with several values
};

}  // namespace

std::optional<ExpressionError> compile_constraint(std::size_t number, const Expression& constraint,
                                                  const std::vector<Parameter>& parameters, Terms& terms,
                                                  std::vector<Condition>& conditions) {
  return ConstraintCompiler(parameters, *terms.scope, terms.graph).compile(number, constraint, conditions);
}

}  // namespace gktune

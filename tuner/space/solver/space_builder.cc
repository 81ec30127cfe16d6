#include "tuner/space/solver/space_builder.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "tuner/space/language/evaluate.h"

namespace gktune {
namespace {

// Sets of parameters that are merged as constraints tie them together.
class ParameterSets {
 public:
  explicit ParameterSets(std::size_t count) : parent_(count) {
    std::iota(parent_.begin(), parent_.end(), 0u);
  }
  std::uint32_t representative(std::uint32_t member) {
    while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
    return member;
  }
  // The first parameter represents its set.
  void merge(std::uint32_t a, std::uint32_t b) {
    a = representative(a);
    b = representative(b);
    parent_[std::max(a, b)] = std::min(a, b);
  }

 private:
  std::vector<std::uint32_t> parent_;
};

SpaceError bad_parameter(std::string message) {
  return {SpaceError::Kind::bad_parameter, std::move(message), std::nullopt, 0, 0};
}

SpaceError bad_constraint(std::size_t constraint, const ExpressionError& error) {
  return {SpaceError::Kind::bad_constraint, error.message, constraint, error.offset, error.length};
}

}  // namespace

SpaceBuilder::SpaceBuilder(const std::vector<Parameter>& parameters,
                           const std::vector<Constraint>& constraints, const Scope& scope,
                           const SpaceLimits& limits)
    : parameters_(parameters), constraints_(constraints), limits_(limits) {
  for (const Parameter& parameter : parameters) {
    if (parameter.values.size() == 1) fixed_.set(parameter.name, parameter.values[0]);
  }
  scope_.add(fixed_).add(scope);
  terms_.scope = &scope_;
}

Result<GroupProduct, SpaceError> SpaceBuilder::build() {
  if (auto error = check_parameters()) return *error;
  if (auto error = compile()) return *error;
  std::vector<Group> built;
  for (const Plan& plan : groups()) {
    auto group = build(plan);
    if (!group) return group.error();
    built.push_back(std::move(*group));
  }
  return GroupProduct(std::move(built), parameters_.size());
}

std::optional<SpaceError> SpaceBuilder::check_parameters() const {
  std::set<std::string_view> names;
  for (const Parameter& parameter : parameters_) {
    if (!names.insert(parameter.name).second) {
      return bad_parameter("there are two parameters '" + parameter.name + "'");
    }
    if (parameter.values.empty()) return bad_parameter("parameter '" + parameter.name + "' has no values");
    std::vector<const Value*> sorted;
    for (const Value& value : parameter.values) sorted.push_back(&value);
    std::ranges::sort(sorted, [](const Value* a, const Value* b) { return *a < *b; });
    const auto twice =
        std::ranges::adjacent_find(sorted, [](const Value* a, const Value* b) { return *a == *b; });
    if (twice != sorted.end()) {
      return bad_parameter("parameter '" + parameter.name + "' has the value " + (*twice)->str() + " twice");
    }
  }
  return std::nullopt;
}

std::optional<SpaceError> SpaceBuilder::compile() {
  ConstraintCompiler compiler(parameters_, scope_, terms_.graph);
  for (std::size_t i = 0; i < constraints_.size(); ++i) {
    std::vector<Condition> conditions;
    if (const auto error = compiler.compile(i, constraints_[i].condition, conditions)) {
      return bad_constraint(i, *error);
    }
    for (Condition& condition : conditions) {
      if (!terms_.graph.is_constant(condition.root)) {
        terms_.conditions.push_back(std::move(condition));
      } else if (auto error = check_constant(condition)) {
        return error;
      }
    }
  }
  return std::nullopt;
}

std::optional<SpaceError> SpaceBuilder::check_constant(const Condition& condition) const {
  const Cell verdict = terms_.graph[condition.root].cell;
  if (verdict == 1) return std::nullopt;
  if (verdict == 0) return nothing_left(condition.constraint);
  const auto worth = evaluate_truth(*condition.node, scope_);
  if (!worth) return bad_constraint(condition.constraint, worth.error());
  return *worth ? std::nullopt : std::optional(nothing_left(condition.constraint));
}

std::vector<std::uint32_t> SpaceBuilder::parameters_of(TermId root) const {
  std::set<std::uint32_t> found;
  std::set<TermId> seen;
  std::vector<TermId> open = {root};
  while (!open.empty()) {
    const TermId id = open.back();
    open.pop_back();
    const Term& term = terms_.graph[id];
    if (term.level == Term::kNoLevel || !seen.insert(id).second) continue;
    found.insert(static_cast<std::uint32_t>(term.level));
    if (!term.is_single) open.insert(open.end(), term.operands.begin(), term.operands.end());
  }
  return {found.begin(), found.end()};
}

std::vector<SpaceBuilder::Plan> SpaceBuilder::groups() const {
  ParameterSets sets(parameters_.size());
  std::vector<std::uint32_t> first_of;  // a parameter of each condition
  for (const Condition& condition : terms_.conditions) {
    const auto used = parameters_of(condition.root);
    for (const std::uint32_t parameter : used) sets.merge(used.front(), parameter);
    first_of.push_back(used.front());
  }
  std::map<std::uint32_t, Plan> plans;
  for (std::uint32_t parameter = 0; parameter < parameters_.size(); ++parameter) {
    if (parameters_[parameter].values.size() > 1) {
      plans[sets.representative(parameter)].members.push_back(parameter);
    }
  }
  for (std::size_t i = 0; i < first_of.size(); ++i) {
    plans[sets.representative(first_of[i])].conditions.push_back(i);
  }
  std::vector<Plan> found;
  for (auto& [representative, plan] : plans) found.push_back(std::move(plan));
  return found;
}

Result<Group, SpaceError> SpaceBuilder::build(const Plan& plan) {
  if (plan.conditions.empty()) {
    return Group{plan.members, GroupTree::of_free_parameter(parameters_[plan.members[0]].values.size()),
                 true};
  }
  auto tree = GroupBuilder(terms_, parameters_, plan.members, plan.conditions, limits_).build();
  if (!tree) return tree.error();
  if (tree->size() == 0) return nothing_left(plan);
  return Group{plan.members, std::move(*tree), false};
}

// Finds the first constraint after which no combination is left.
SpaceError SpaceBuilder::nothing_left(const Plan& plan) {
  std::size_t low = 0, high = plan.conditions.size();  // so many leave something; so many leave nothing
  while (high - low > 1) {
    const std::size_t middle = low + (high - low) / 2;
    const std::vector<std::size_t> some(plan.conditions.begin(),
                                        plan.conditions.begin() + static_cast<std::ptrdiff_t>(middle));
    const auto tree = GroupBuilder(terms_, parameters_, plan.members, some, limits_).build();
    const bool is_empty = tree && tree->size() == 0;
    (is_empty ? high : low) = middle;
  }
  return nothing_left(terms_.conditions[plan.conditions[high - 1]].constraint);
}

SpaceError SpaceBuilder::nothing_left(std::size_t constraint) const {
  const std::string& text = constraints_[constraint].condition.text();
  return {SpaceError::Kind::empty, "no configuration is valid: '" + text + "' leaves none", constraint, 0,
          text.size()};
}

}  // namespace gktune

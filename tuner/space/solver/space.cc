#include "tuner/space/solver/space.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "tuner/space/solver/group_plan.h"

namespace gktune {
namespace {

SpaceError bad_parameter(std::string message) {
  return {SpaceError::Kind::bad_parameter, std::move(message), std::nullopt, 0, 0};
}

SpaceError bad_constraint(std::size_t constraint, const ExpressionError& error) {
  return {SpaceError::Kind::bad_constraint, error.message, constraint, error.offset, error.length};
}

// Builds a space: inserts constants into the constraints, finds the groups and builds their trees.
class SpaceBuilder {
 public:
  SpaceBuilder(const std::vector<Parameter>& parameters, const std::vector<Constraint>& constraints,
               const Scope& scope, const SpaceLimits& limits)
      : parameters_(parameters), constraints_(constraints), limits_(limits) {
    for (const Parameter& parameter : parameters) {
      if (parameter.values.size() == 1) fixed_.set(parameter.name, parameter.values[0]);
    }
    scope_.add(fixed_).add(scope);
    terms_.scope = &scope_;
  }

  Result<GroupProduct, SpaceError> build() {
    if (auto error = check_parameters()) return *error;
    if (auto error = compile()) return *error;
    std::vector<Group> built;
    for (const Plan& plan : groups()) {
      built.push_back(GKTUNE_TRY(build(plan)));
    }
    return GroupProduct(std::move(built), parameters_.size());
  }

 private:
  // The numbers of a group's parameters and of the conditions that use them, ascending.
  struct Plan {
    std::vector<std::uint32_t> members;
    std::vector<std::size_t> conditions;
  };

  std::optional<SpaceError> check_parameters() const {
    std::set<std::string_view> names;
    for (const Parameter& parameter : parameters_) {
      if (!names.insert(parameter.name).second) {
        return bad_parameter("there are two parameters '" + parameter.name + "'");
      }
      if (parameter.values.empty()) return bad_parameter("parameter '" + parameter.name + "' has no values");
      std::set<Value> seen;
      for (const Value& value : parameter.values) {
        if (seen.insert(value).second) continue;
        return bad_parameter("parameter '" + parameter.name + "' has the value " + value.str() + " twice");
      }
    }
    return std::nullopt;
  }

  std::optional<SpaceError> compile() {
    for (std::size_t i = 0; i < constraints_.size(); ++i) {
      std::vector<Condition> conditions;
      if (const auto error =
              compile_constraint(i, constraints_[i].condition, parameters_, terms_, conditions)) {
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

  std::optional<SpaceError> check_constant(const Condition& condition) const {
    const Cell verdict = terms_.graph[condition.root].cell;
    if (verdict == 1) return std::nullopt;
    if (verdict == 0) return nothing_left(condition.constraint);
    const auto worth = evaluate_truth(*condition.node, scope_);
    if (!worth) return bad_constraint(condition.constraint, worth.error());
    return *worth ? std::nullopt : std::optional(nothing_left(condition.constraint));
  }

  std::vector<std::uint32_t> parameters_of(TermId root) const {
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

  std::vector<Plan> groups() const {
    std::vector<std::uint32_t> group_of(parameters_.size());  // the first parameter of the group
    std::iota(group_of.begin(), group_of.end(), 0u);
    std::vector<std::uint32_t> first_of;  // a parameter of each condition
    for (const Condition& condition : terms_.conditions) {
      const auto used = parameters_of(condition.root);
      for (const std::uint32_t parameter : used) {
        const std::uint32_t one = group_of[used.front()], other = group_of[parameter];
        std::ranges::replace(group_of, std::max(one, other), std::min(one, other));
      }
      first_of.push_back(used.front());
    }
    std::map<std::uint32_t, Plan> plans;
    for (std::uint32_t parameter = 0; parameter < parameters_.size(); ++parameter) {
      if (parameters_[parameter].values.size() > 1) {
        plans[group_of[parameter]].members.push_back(parameter);
      }
    }
    for (std::size_t i = 0; i < first_of.size(); ++i) {
      plans[group_of[first_of[i]]].conditions.push_back(i);
    }
    std::vector<Plan> found;
    for (auto& [first, plan] : plans) found.push_back(std::move(plan));
    return found;
  }

  Result<Group, SpaceError> build(const Plan& plan) {
    if (plan.conditions.empty()) {
      return Group{plan.members, GroupTree::of_free_parameter(parameters_[plan.members[0]].values.size())};
    }
    auto tree = GKTUNE_TRY(build_group(terms_, parameters_, plan.members, plan.conditions, limits_));
    if (tree.size() == 0) return nothing_left(plan);
    return Group{plan.members, std::move(tree)};
  }

  // Finds the first constraint after which no combination is left.
  SpaceError nothing_left(const Plan& plan) {
    // The first `low` conditions leave a combination, the first `high` conditions leave none.
    std::size_t low = 0, high = plan.conditions.size();
    while (high - low > 1) {
      const std::size_t middle = low + (high - low) / 2;
      const std::vector<std::size_t> some(plan.conditions.begin(),
                                          plan.conditions.begin() + static_cast<std::ptrdiff_t>(middle));
      const auto tree = build_group(terms_, parameters_, plan.members, some, limits_);
      const bool is_empty = tree && tree->size() == 0;
      (is_empty ? high : low) = middle;
    }
    return nothing_left(terms_.conditions[plan.conditions[high - 1]].constraint);
  }

  SpaceError nothing_left(std::size_t constraint) const {
    const auto& [condition, origin] = constraints_[constraint];
    const std::string culprit =
        origin == Constraint::Origin::block_limit           ? "the device's limit on a block's size"
        : origin == Constraint::Origin::shared_memory_limit ? "the device's limit on a block's shared memory"
                                                            : "'" + condition.text() + "'";
    return {SpaceError::Kind::empty, "no configuration is valid: " + culprit + " leaves none", constraint, 0,
            condition.text().size()};
  }

  const std::vector<Parameter>& parameters_;
  const std::vector<Constraint>& constraints_;
  const SpaceLimits& limits_;
  NamedValues fixed_;  // the parameters with one value
  Scope scope_;        // the given scope and fixed_
  Terms terms_;
};

// Adds the nodes for a sorted run of combinations that agree above a level.
GroupTree::Node add_listed(std::span<const Space::Ranks> run, const std::vector<std::uint32_t>& members,
                           std::size_t level, GroupTree& tree) {
  if (level == members.size()) return GroupTree::kLeaf;
  std::vector<GroupTree::Branch> branches;
  while (!run.empty()) {
    const std::uint32_t rank = run.front()[members[level]];
    const auto alike =
        std::ranges::find_if(run, [&](const Space::Ranks& ranks) { return ranks[members[level]] != rank; });
    const auto count = static_cast<std::size_t>(alike - run.begin());
    branches.push_back({rank, add_listed(run.first(count), members, level + 1, tree)});
    run = run.subspan(count);
  }
  return tree.add(branches);
}

}  // namespace

Result<Space, SpaceError> Space::build(std::vector<Parameter> parameters,
                                       const std::vector<Constraint>& constraints, const Scope& scope,
                                       const SpaceLimits& limits) {
  // A size of at most 127 bits lets the sum of two indices fit a Count.
  constexpr unsigned kMostBits = 127;
  auto product = GKTUNE_TRY(SpaceBuilder(parameters, constraints, scope, limits).build());
  if (product.size().bits() > kMostBits)
    return SpaceError{SpaceError::Kind::too_large,
                      "more than 10^38 configurations are valid; it takes fewer parameters or values",
                      std::nullopt, 0, 0};
  return Space(std::move(parameters), std::move(product));
}

Space::Space(std::vector<Parameter> parameters, GroupProduct product)
    : parameters_(std::move(parameters)), product_(std::move(product)) {
  Config::Names names;
  for (const Parameter& parameter : parameters_) {
    names.push_back(parameter.name);
    cartesian_ *= parameter.values.size();
  }
  names_ = std::make_shared<const Config::Names>(std::move(names));
}

Space Space::of(std::vector<Parameter> parameters, std::vector<Ranks> valid) {
  Group group;
  for (std::uint32_t parameter = 0; parameter < parameters.size(); ++parameter) {
    if (parameters[parameter].values.size() > 1) group.members.push_back(parameter);
  }
  const std::size_t count = parameters.size();
  if (group.members.empty()) return Space(std::move(parameters), GroupProduct({}, count));
  std::ranges::sort(valid);
  add_listed(valid, group.members, 0, group.tree);
  group.tree.finish();
  return Space(std::move(parameters), GroupProduct({std::move(group)}, count));
}

bool Space::contains(std::span<const std::uint32_t> ranks) const {
  const auto is_in = [](std::uint32_t rank, const Parameter& parameter) {
    return rank < parameter.values.size();
  };
  return std::ranges::equal(ranks, parameters_, is_in) && product_.index_of(ranks).has_value();
}

Config Space::config_of(std::span<const std::uint32_t> ranks) const {
  std::vector<Value> values;
  values.reserve(ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    const Value& value = parameters_[i].values[ranks[i]];
    // Most are integers, which are cheaper to make than any value is to copy.
    if (value.is_integer()) {
      values.emplace_back(value.integer());
    } else {
      values.push_back(value);
    }
  }
  return Config(names_, std::move(values));
}

std::optional<Space::Ranks> Space::ranks_of(const Config& config) const {
  if (config.size() != parameters_.size()) return std::nullopt;
  Ranks ranks;
  ranks.reserve(config.size());
  for (std::size_t i = 0; i < config.size(); ++i) {
    const Parameter& parameter = parameters_[i];
    const Value* const value =
        config.name(i) == parameter.name ? &config.value(i) : config.find(parameter.name);
    if (value == nullptr) return std::nullopt;
    const auto found = std::ranges::find(parameter.values, *value);
    if (found == parameter.values.end()) return std::nullopt;
    ranks.push_back(static_cast<std::uint32_t>(found - parameter.values.begin()));
  }
  return ranks;
}

std::optional<Count> Space::index_of(const Config& config) const {
  const auto ranks = ranks_of(config);
  return ranks ? product_.index_of(*ranks) : std::nullopt;
}

Count Space::sample(std::mt19937_64& random) const {
  // Draws as many random bits as the size has, again until they form a valid index.
  const unsigned bits = size().bits();
  while (true) {
    Count drawn = 0;
    for (unsigned taken = 0; taken < bits; taken += 64) {
      const unsigned missing = std::min(64u, bits - taken);
      drawn <<= missing;
      drawn += random() >> (64 - missing);
    }
    if (drawn < size()) return drawn;
  }
}

std::optional<Config> Space::default_config() const {
  Ranks wanted;
  for (const auto& [name, values, default_value] : parameters_) {
    const auto found = default_value ? std::ranges::find(values, *default_value) : values.begin();
    wanted.push_back(found == values.end() ? 0 : static_cast<std::uint32_t>(found - values.begin()));
  }
  return config_of(product_.closest(wanted));
}

}  // namespace gktune

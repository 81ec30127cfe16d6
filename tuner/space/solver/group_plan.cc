#include "tuner/space/solver/group_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "tuner/space/solver/bounds.h"

namespace gktune {

GroupPlan::GroupPlan(Terms& terms, const std::vector<Parameter>& parameters,
                     std::vector<std::uint32_t> members, std::span<const std::size_t> conditions)
    : terms_(terms), members_(std::move(members)), columns_(terms.graph, parameters) {
  const auto decided = decisions(conditions);
  const auto live = live_terms(decided);
  for (std::size_t k = 0; k < members_.size(); ++k) {
    Level level;
    level.parameter = &parameters[members_[k]];
    level.slots = live[k];
    const auto program = [&](std::span<const TermId> wanted) {
      return ColumnProgram(terms_.graph, columns_, level.slots, static_cast<int>(members_[k]), wanted);
    };
    for (const Decision& decision : decided) {
      if (position(decision.root) != k) continue;
      level.checks.push_back({decision, program(std::span(&decision.root, 1))});
    }
    if (k + 1 < members_.size()) level.advance.emplace(program(live[k + 1]));
    levels_.push_back(std::move(level));
  }
}

std::size_t GroupPlan::position(TermId term) const {
  const auto parameter = static_cast<std::uint32_t>(terms_.graph[term].level);
  return static_cast<std::size_t>(std::ranges::lower_bound(members_, parameter) - members_.begin());
}

std::vector<GroupPlan::Decision> GroupPlan::decisions(std::span<const std::size_t> conditions) {
  Bounds bounds(terms_.graph, columns_);
  std::vector<Decision> found;
  std::set<TermId> roots;
  for (const std::size_t condition : conditions) {
    const TermId root = terms_.conditions[condition].root;
    for (std::size_t level = 0; level < position(root); ++level) {
      const TermId implied = bounds.implied(root, static_cast<int>(members_[level]));
      if (implied == TermGraph::kNone || terms_.graph.is_constant(implied)) continue;
      if (roots.insert(implied).second) found.push_back({implied, condition, true});
    }
    found.push_back({root, condition, false});
  }
  return found;
}

// For each level: which terms of the levels above are used there or below.
std::vector<std::vector<TermId>> GroupPlan::live_terms(const std::vector<Decision>& decisions) const {
  std::vector<std::vector<TermId>> live(members_.size());
  std::vector<TermId> open;
  std::vector<bool> seen(terms_.graph.size());
  std::map<TermId, std::size_t> last_use;
  const auto visit = [&](TermId term) {
    if (!seen[term]) open.push_back(term);
    seen[term] = true;
  };
  for (const Decision& decision : decisions) visit(decision.root);
  while (!open.empty()) {
    const TermId id = open.back();
    open.pop_back();
    const Term& term = terms_.graph[id];
    if (term.is_single) continue;  // a column by itself, whatever it is made of
    for (const TermId operand : term.operands) {
      if (terms_.graph.is_constant(operand)) continue;
      visit(operand);
      last_use[operand] = std::max(last_use[operand], position(id));
    }
  }
  for (const auto& [term, last] : last_use) {
    for (std::size_t level = position(term) + 1; level <= last; ++level) live[level].push_back(term);
  }
  return live;
}

}  // namespace gktune

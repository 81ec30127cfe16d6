#include "tuner/space/solver/group_plan.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace gktune {
namespace {

// Computes ranges of integer terms, and derives conditions that can be decided earlier: if c is at least 2,
// then `a * b * c <= 1024` implies `a * b * 2 <= 1024`, which needs a and b only.
class Bounds {
 public:
  Bounds(TermGraph& graph, ValueColumns& columns) : graph_(graph), columns_(columns) {}

  // A condition on the parameters up to `level` that the given condition implies. kNone if there is none. A
  // condition that might fail to evaluate implies nothing.
  TermId implied(TermId id, int level) {
    const Term& term = graph_[id];
    if (term.level <= level) return id;
    if (term.is_single || !range(id) || term.operands.size() != 2) return TermGraph::kNone;
    const TermId left = term.operands[0], right = term.operands[1];
    if (term.kind == Term::Kind::both) return together(implied(left, level), implied(right, level));
    if (term.kind == Term::Kind::either) return graph_.either(implied(left, level), implied(right, level));
    if (term.operation == Operation::less || term.operation == Operation::less_equal)
      return comparison(term.operation, left, right, level);
    if (term.operation != Operation::equal) return TermGraph::kNone;
    return together(comparison(Operation::less_equal, left, right, level),
                    comparison(Operation::less_equal, right, left, level));
  }

 private:
  struct Range {
    Cell low, high;
  };
  enum class Side { low, high };

  // Empty if the term is not an integer or might fail to evaluate.
  std::optional<Range> range(TermId term) {
    const auto known = ranges_.find(term);
    return known != ranges_.end() ? known->second : ranges_.emplace(term, computed_range(term)).first->second;
  }

  std::optional<Range> computed_range(TermId id) {
    const Term& term = graph_[id];
    if (term.type != CellType::integer) return std::nullopt;
    if (term.is_single) {
      const auto column = graph_.is_constant(id) ? std::vector(1, term.cell) : columns_.of(id);
      const auto [low, high] = std::ranges::minmax_element(column);
      return *low == kUnknown ? std::nullopt : std::optional(Range{*low, *high});
    }
    std::vector<Range> operands;
    for (const TermId operand : term.operands) {
      const auto known = range(operand);
      if (!known) return std::nullopt;
      operands.push_back(*known);
    }
    if (term.is_truth) return Range{0, 1};
    if (term.kind == Term::Kind::select) {
      return Range{std::min(operands[1].low, operands[2].low), std::max(operands[1].high, operands[2].high)};
    }
    const bool divides = term.operation == Operation::floor_divide || term.operation == Operation::modulo;
    if (divides && operands[1].low <= 0) return std::nullopt;
    if (term.operation == Operation::modulo) return Range{0, operands[1].high - 1};
    if (!divides && !is_monotone(term)) return std::nullopt;
    return range_at_ends(term.operation, operands.front(), operands.back());
  }

  // The extremes of an operation that rises or falls with each operand are at the ends of their ranges.
  static std::optional<Range> range_at_ends(Operation operation, const Range& a, const Range& b) {
    std::optional<Range> range;
    for (const Cell left : {a.low, a.high}) {
      for (const Cell right : {b.low, b.high}) {
        const Value ends[] = {Value(left), Value(right)};
        const auto result =
            calculate(operation, std::span(ends).first(operation == Operation::negate ? 1 : 2));
        if (!result || result->integer() == kUnknown) return std::nullopt;
        if (!range) range = Range{result->integer(), result->integer()};
        range = Range{std::min(range->low, result->integer()), std::max(range->high, result->integer())};
      }
    }
    return range;
  }

  static bool is_monotone(const Term& term) {
    constexpr Operation kMonotone[] = {Operation::add,    Operation::subtract, Operation::multiply,
                                       Operation::negate, Operation::minimum,  Operation::maximum};
    return term.kind == Term::Kind::apply &&
           std::ranges::find(kMonotone, term.operation) != std::end(kMonotone);
  }

  // A lower (upper) bound of the term that uses only parameters up to `level`. Requires a term with a range.
  TermId bound(TermId id, int level, Side side) {
    const Term& term = graph_[id];
    if (term.level <= level) return id;
    const bool is_product = term.operation == Operation::multiply;
    // A bound of a product needs factors that are never negative.
    const bool is_bounded = !term.is_single && is_monotone(term) &&
                            !(is_product && std::ranges::any_of(term.operands, [&](TermId operand) {
                                return range(operand)->low < 0;
                              }));
    if (!is_bounded) return graph_.constant(Value(side == Side::low ? range(id)->low : range(id)->high));
    const Side other = side == Side::low ? Side::high : Side::low;
    std::vector<TermId> operands;
    for (std::size_t i = 0; i < term.operands.size(); ++i) {
      const bool falls =
          term.operation == Operation::negate || (term.operation == Operation::subtract && i == 1);
      TermId operand = bound(term.operands[i], level, falls ? other : side);
      const auto known = range(operand);
      if (is_product && (!known || known->low < 0))
        operand = graph_.arithmetic(Operation::maximum, {operand, graph_.constant(Value(0))});
      operands.push_back(operand);
    }
    return graph_.arithmetic(term.operation, std::move(operands));
  }

  TermId comparison(Operation operation, TermId left, TermId right, int level) {
    const TermId low = bound(left, level, Side::low), high = bound(right, level, Side::high);
    const auto low_range = range(low), high_range = range(high);
    const Cell gap = operation == Operation::less ? 1 : 0;
    const bool always_holds = low_range && high_range && low_range->high + gap <= high_range->low;
    return always_holds ? TermGraph::kNone : graph_.compare(operation, low, high);
  }

  // Combines two conditions; either may be absent.
  TermId together(TermId one, TermId other) {
    if (one == TermGraph::kNone) return other;
    return other == TermGraph::kNone ? one : graph_.both(one, other);
  }

  TermGraph& graph_;
  ValueColumns& columns_;
  std::unordered_map<TermId, std::optional<Range>> ranges_;
};

}  // namespace

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

// For each level, the terms of the levels above that this level or a later one uses.
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
    if (term.is_single) continue;  // its column is computed from the parameter's values, not from operands
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

#include "tuner/space/solver/bounds.h"

#include <algorithm>
#include <initializer_list>
#include <vector>

namespace gktune {
namespace {

struct Extremes {
  std::optional<Cell> low, high;
};

std::optional<Cell> sum(Cell a, Cell b) {
  Cell result = 0;
  if (__builtin_add_overflow(a, b, &result)) return std::nullopt;
  return result;
}

std::optional<Cell> difference(Cell a, Cell b) {
  Cell result = 0;
  if (__builtin_sub_overflow(a, b, &result)) return std::nullopt;
  return result;
}

// The least and the greatest of the products of the ends.
Extremes products(Cell a_low, Cell a_high, Cell b_low, Cell b_high) {
  Extremes extremes;
  for (const Cell a : {a_low, a_high}) {
    for (const Cell b : {b_low, b_high}) {
      Cell product = 0;
      if (__builtin_mul_overflow(a, b, &product)) return {};
      extremes.low = std::min(extremes.low.value_or(product), product);
      extremes.high = std::max(extremes.high.value_or(product), product);
    }
  }
  return extremes;
}

}  // namespace

std::optional<Bounds::Range> Bounds::range(TermId term) {
  if (const auto known = ranges_.find(term); known != ranges_.end()) return known->second;
  const auto found = worked_out(term);
  ranges_.emplace(term, found);
  return found;
}

std::optional<Bounds::Range> Bounds::range_of_single(TermId id) {
  const auto& column = columns_.of(id);
  if (std::ranges::find(column, kUnknown) != column.end()) return std::nullopt;
  const auto [low, high] = std::ranges::minmax_element(column);
  return Range{*low, *high};
}

std::optional<Bounds::Range> Bounds::worked_out(TermId id) {
  const Term& term = graph_[id];
  if (term.type != CellType::integer) return std::nullopt;
  if (graph_.is_constant(id)) {
    return term.cell == kUnknown ? std::nullopt : std::optional(Range{term.cell, term.cell});
  }
  if (term.is_single) return range_of_single(id);
  std::vector<Range> operands;
  for (const TermId operand : term.operands) {
    const auto known = range(operand);
    if (!known) return std::nullopt;
    operands.push_back(*known);
  }
  Extremes extremes;
  switch (term.op) {
    case TermOp::add:
      extremes = {sum(operands[0].low, operands[1].low), sum(operands[0].high, operands[1].high)};
      break;
    case TermOp::subtract:
      extremes = {difference(operands[0].low, operands[1].high),
                 difference(operands[0].high, operands[1].low)};
      break;
    case TermOp::multiply:
      extremes = products(operands[0].low, operands[0].high, operands[1].low, operands[1].high);
      break;
    case TermOp::negate:
      extremes = {difference(0, operands[0].high), difference(0, operands[0].low)};
      break;
    case TermOp::minimum:
      extremes = {std::min(operands[0].low, operands[1].low), std::min(operands[0].high, operands[1].high)};
      break;
    case TermOp::maximum:
      extremes = {std::max(operands[0].low, operands[1].low), std::max(operands[0].high, operands[1].high)};
      break;
    case TermOp::floor_divide:
      // A quotient is no further from zero than what is divided, and on the same side.
      if (operands[1].low <= 0) return std::nullopt;
      extremes = {std::min<Cell>(operands[0].low, 0), std::max<Cell>(operands[0].high, 0)};
      break;
    case TermOp::modulo:
      if (operands[1].low <= 0) return std::nullopt;
      extremes = {0, operands[1].high - 1};
      break;
    case TermOp::equal:
    case TermOp::not_equal:
    case TermOp::less:
    case TermOp::less_equal:
    case TermOp::both:
    case TermOp::either:
    case TermOp::inverse:
      extremes = {0, 1};
      break;
    case TermOp::select:
      extremes = {std::min(operands[1].low, operands[2].low), std::max(operands[1].high, operands[2].high)};
      break;
    default:
      return std::nullopt;
  }
  if (!extremes.low || !extremes.high || *extremes.low == kUnknown) return std::nullopt;
  return Range{*extremes.low, *extremes.high};
}

TermId Bounds::bound(TermId id, int level, Side side) {
  const Term& term = graph_[id];
  if (term.level <= level) return id;
  const Side other = side == Side::low ? Side::high : Side::low;
  const auto of = [&](std::size_t operand, Side which) {
    return bound(term.operands[operand], level, which);
  };
  if (!term.is_single) {
    switch (term.op) {
      case TermOp::add:
        return graph_.arithmetic(Operation::add, {of(0, side), of(1, side)});
      case TermOp::subtract:
        return graph_.arithmetic(Operation::subtract, {of(0, side), of(1, other)});
      case TermOp::negate:
        return graph_.arithmetic(Operation::negate, {of(0, other)});
      case TermOp::minimum:
        return graph_.arithmetic(Operation::minimum, {of(0, side), of(1, side)});
      case TermOp::maximum:
        return graph_.arithmetic(Operation::maximum, {of(0, side), of(1, side)});
      case TermOp::multiply: {
        const TermId product = bound_of_product(term, level, side);
        if (product != TermGraph::kNone) return product;
        break;
      }
      default:
        break;
    }
  }
  const Range known = *range(id);
  return graph_.constant(Value(side == Side::low ? known.low : known.high));
}

// Bounds of a product of factors that are never negative.
TermId Bounds::bound_of_product(const Term& term, int level, Side side) {
  std::vector<TermId> factors;
  for (const TermId operand : term.operands) {
    if (range(operand)->low < 0) return TermGraph::kNone;
    TermId factor = bound(operand, level, side);
    const auto known = range(factor);
    if (!known || known->low < 0) {
      factor = graph_.arithmetic(Operation::maximum, {factor, graph_.constant(Value(0))});
    }
    factors.push_back(factor);
  }
  return graph_.arithmetic(Operation::multiply, factors);
}

TermId Bounds::comparison(TermOp op, TermId left, TermId right, int level) {
  const TermId low = bound(left, level, Side::low);
  const TermId high = bound(right, level, Side::high);
  const auto low_range = range(low), high_range = range(high);
  const bool is_strict = op == TermOp::less;
  const bool always_holds =
      low_range && high_range &&
      (is_strict ? low_range->high < high_range->low : low_range->high <= high_range->low);
  if (always_holds) return TermGraph::kNone;
  return graph_.compare(is_strict ? Operation::less : Operation::less_equal, low, high);
}

// Combines two conditions; either may be absent.
TermId Bounds::together(TermId one, TermId other) {
  if (one == TermGraph::kNone) return other;
  return other == TermGraph::kNone ? one : graph_.both(one, other);
}

TermId Bounds::implied(TermId id, int level) {
  const Term& term = graph_[id];
  if (term.level <= level) return id;
  if (term.is_single || !range(id)) return TermGraph::kNone;
  if (term.operands.size() != 2) return TermGraph::kNone;
  const TermId left = term.operands[0], right = term.operands[1];
  switch (term.op) {
    case TermOp::less:
    case TermOp::less_equal:
      return comparison(term.op, left, right, level);
    case TermOp::equal:
      return together(comparison(TermOp::less_equal, left, right, level),
                      comparison(TermOp::less_equal, right, left, level));
    case TermOp::both:
      return together(implied(left, level), implied(right, level));
    case TermOp::either:
      return graph_.either(implied(left, level), implied(right, level));
    default:
      return TermGraph::kNone;
  }
}

}  // namespace gktune

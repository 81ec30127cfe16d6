#include "tuner/space/solver/term.h"

#include <algorithm>
#include <utility>

namespace gktune {
namespace {

bool is_comparison(Operation operation) {
  return operation >= Operation::equal && operation <= Operation::greater_equal;
}

bool is_truth(const Term& term) {
  using Kind = Term::Kind;
  if (term.kind == Kind::constant)
    return term.type == CellType::integer && (term.cell == 0 || term.cell == 1 || term.cell == kUnknown);
  return term.is_truth || term.kind == Kind::both || term.kind == Kind::either ||
         term.kind == Kind::inverse || term.kind == Kind::interpret ||
         (term.kind == Kind::apply && is_comparison(term.operation));
}

// Both orders of the operands give the same value.
bool commutes(const Term& term) {
  if (term.kind != Term::Kind::apply || term.type != CellType::integer) return false;
  constexpr Operation kCommuting[] = {Operation::add,       Operation::multiply, Operation::equal,
                                      Operation::not_equal, Operation::minimum,  Operation::maximum};
  return std::ranges::find(kCommuting, term.operation) != std::end(kCommuting);
}

}  // namespace

TermGraph::TermGraph() { terms_.push_back({.kind = Term::Kind::interpret, .type = CellType::none}); }

TermId TermGraph::intern(Term term) {
  for (const TermId operand : term.operands) {
    const Term& below = terms_[operand];
    if (below.level == Term::kNoLevel) continue;
    term.is_single =
        term.is_single && below.is_single && (term.level == Term::kNoLevel || term.level == below.level);
    term.level = std::max(term.level, below.level);
  }
  if (term.level == Term::kNoLevel && !term.operands.empty()) term = folded(term);
  term.is_truth = is_truth(term);
  if (commutes(term)) std::ranges::sort(term.operands);
  const auto [known, is_new] = known_.try_emplace(
      Key(term.kind, term.operation, term.type, term.cell, term.level, term.operands), size());
  if (is_new) terms_.push_back(std::move(term));
  return known->second;
}

// A term whose operands are all constants is one itself.
Term TermGraph::folded(const Term& term) const {
  std::vector<const Cell*> operands;
  for (const TermId operand : term.operands) operands.push_back(&terms_[operand].cell);
  Term constant{.type = term.type};
  fill_column(*this, term, operands, std::span(&constant.cell, 1));
  return constant;
}

TermId TermGraph::constant(const Value& value) {
  const CellType type = value.is_real()   ? CellType::real
                        : value.is_text() ? CellType::text
                                          : CellType::integer;
  return intern({.type = type, .cell = cell(value)});
}

TermId TermGraph::parameter(int number, CellType type) {
  if (type == CellType::none) return kNone;
  return intern({.kind = Term::Kind::parameter, .type = type, .level = number});
}

TermId TermGraph::table(int number, CellType type, std::vector<Cell> column) {
  if (type == CellType::none) return kNone;
  // The number of the table makes the term differ from those of other tables.
  const auto table = static_cast<Cell>(tables_.size());
  const TermId id = intern({.kind = Term::Kind::table, .type = type, .cell = table, .level = number});
  tables_.emplace(id, std::move(column));
  return id;
}

TermId TermGraph::interpret(const std::vector<TermId>& ranks) {
  // The cell makes the term differ from those of other conditions.
  return intern({.kind = Term::Kind::interpret, .operands = ranks, .cell = static_cast<Cell>(size())});
}

Cell TermGraph::cell(const Value& value) {
  switch (value.kind()) {
    case Value::Kind::boolean:
      return value.boolean() ? 1 : 0;
    case Value::Kind::integer:
      return value.integer();
    case Value::Kind::real:
      return cell_of(value.real());
    case Value::Kind::text:
      break;
  }
  return texts_.try_emplace(value.text(), static_cast<Cell>(texts_.size())).first->second;
}

TermId TermGraph::apply(Operation operation, CellType type, std::vector<TermId> operands) {
  return intern(
      {.kind = Term::Kind::apply, .operation = operation, .type = type, .operands = std::move(operands)});
}

TermId TermGraph::to_real(TermId id) {
  if (terms_[id].type == CellType::real) return id;
  return apply(Operation::to_real, CellType::real, {id});
}

TermId TermGraph::arithmetic(Operation operation, std::vector<TermId> operands) {
  bool all_whole = true, all_real = true;
  for (const TermId operand : operands) {
    const CellType type = terms_[operand].type;
    if (type == CellType::none || type == CellType::text) return kNone;
    all_whole = all_whole && type == CellType::integer;
    all_real = all_real && type == CellType::real;
  }
  const CellType common = all_whole ? CellType::integer : CellType::real;
  switch (operation) {
    case Operation::add:
    case Operation::subtract:
    case Operation::multiply:
    case Operation::floor_divide:
    case Operation::modulo:
    case Operation::divide:
      if (all_whole && operation != Operation::divide) return apply(operation, common, std::move(operands));
      for (TermId& operand : operands) operand = to_real(operand);
      return apply(operation, CellType::real, std::move(operands));
    case Operation::identity:
      return operands[0];
    case Operation::minimum:
    case Operation::maximum: {
      if (!all_whole && !all_real) return kNone;
      TermId extreme = operands[0];
      for (std::size_t i = 1; i < operands.size(); ++i)
        extreme = apply(operation, common, {extreme, operands[i]});
      return extreme;
    }
    case Operation::ceil_divide:
    case Operation::round_up: {
      if (!all_whole) return kNone;
      const TermId negated = apply(Operation::negate, common, {operands[0]});
      const TermId below = apply(Operation::floor_divide, common, {negated, operands[1]});
      const TermId rounded = apply(Operation::negate, common, {below});
      if (operation == Operation::ceil_divide) return rounded;
      return apply(Operation::multiply, common, {rounded, operands[1]});
    }
    case Operation::greatest_divisor:
    case Operation::integer_log2:
      return all_whole ? apply(operation, common, std::move(operands)) : kNone;
    case Operation::floor:
    case Operation::ceiling:
    case Operation::to_integer:
      return apply(operation, CellType::integer, std::move(operands));
    case Operation::to_real:
      return to_real(operands[0]);
    case Operation::log2:
    case Operation::square_root:
      return apply(operation, CellType::real, std::move(operands));
    default:
      return apply(operation, common, std::move(operands));  // negate, power, absolute
  }
}

TermId TermGraph::compare(Operation operation, TermId left, TermId right) {
  const CellType left_type = terms_[left].type, right_type = terms_[right].type;
  if (left_type == CellType::none || right_type == CellType::none || !is_comparison(operation)) return kNone;
  const bool is_text = left_type == CellType::text;
  if (is_text != (right_type == CellType::text)) return kNone;
  // The numbers of texts have no order.
  if (is_text && operation != Operation::equal && operation != Operation::not_equal) return kNone;
  if (left_type != right_type) {
    left = to_real(left);
    right = to_real(right);
  }
  if (operation == Operation::greater) return apply(Operation::less, CellType::integer, {right, left});
  if (operation == Operation::greater_equal)
    return apply(Operation::less_equal, CellType::integer, {right, left});
  return apply(operation, CellType::integer, {left, right});
}

TermId TermGraph::truth(TermId id) {
  const Term& term = terms_[id];
  if (term.is_truth) return id;
  if (term.type == CellType::integer) return compare(Operation::not_equal, id, constant(Value(0)));
  if (term.type == CellType::real) return compare(Operation::not_equal, id, constant(Value(0.0)));
  return kNone;
}

TermId TermGraph::junction(Term::Kind kind, TermId left, TermId right) {
  const bool neutral = kind == Term::Kind::both;
  if (left == kNone) return kNone;
  if (is_constant(left)) return terms_[left].cell == (neutral ? 1 : 0) ? right : left;
  if (right == kNone) return kNone;
  if (right == truth_constant(neutral)) return left;
  return intern({.kind = kind, .operands = {left, right}});
}

TermId TermGraph::inverse(TermId id) {
  return id == kNone ? kNone : intern({.kind = Term::Kind::inverse, .operands = {id}});
}

TermId TermGraph::select(TermId condition, TermId then, TermId otherwise) {
  if (condition == kNone) return kNone;
  if (is_constant(condition) && terms_[condition].cell != kUnknown) {
    return terms_[condition].cell == 1 ? then : otherwise;
  }
  const CellType type = terms_[then].type;
  if (type != terms_[otherwise].type || then == kNone) return kNone;
  const bool is_truth = terms_[then].is_truth && terms_[otherwise].is_truth;
  return intern({.kind = Term::Kind::select,
                 .type = type,
                 .operands = {condition, then, otherwise},
                 .is_truth = is_truth});
}

}  // namespace gktune

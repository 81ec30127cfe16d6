#include "tuner/space/solver/term.h"

#include <algorithm>
#include <utility>

#include "tuner/space/solver/column.h"

namespace gktune {
namespace {

bool commutes(TermOp op) {
  return op == TermOp::add || op == TermOp::multiply || op == TermOp::equal || op == TermOp::not_equal ||
         op == TermOp::minimum || op == TermOp::maximum;
}

bool is_truth_op(TermOp op) {
  switch (op) {
    case TermOp::equal:
    case TermOp::not_equal:
    case TermOp::less:
    case TermOp::less_equal:
    case TermOp::both:
    case TermOp::either:
    case TermOp::inverse:
    case TermOp::interpret:
      return true;
    default:
      return false;
  }
}

}  // namespace

TermGraph::TermGraph() {
  Term none;
  none.type = CellType::none;
  none.op = TermOp::interpret;
  terms_.push_back(none);
}

TermId TermGraph::intern(Term term) {
  for (const TermId operand : term.operands) {
    const Term& below = terms_[operand];
    if (below.level == Term::kNoLevel) continue;
    term.is_single =
        term.is_single && below.is_single && (term.level == Term::kNoLevel || term.level == below.level);
    term.level = std::max(term.level, below.level);
  }
  term.is_truth = term.is_truth || is_truth_op(term.op);
  if (term.level == Term::kNoLevel && !term.operands.empty()) term = worked_out(term);
  if (term.op == TermOp::constant) {
    term.is_truth =
        term.type == CellType::integer && (term.cell == 0 || term.cell == 1 || term.cell == kUnknown);
  }
  if (commutes(term.op)) std::ranges::sort(term.operands);
  const auto [known, is_new] = known_.try_emplace(
      Key(term.op, term.operation, term.type, term.cell, term.level, term.operands), size());
  if (is_new) terms_.push_back(std::move(term));
  return known->second;
}

// A term whose operands are all constants is one itself.
Term TermGraph::worked_out(const Term& term) const {
  std::vector<const Cell*> operands;
  for (const TermId operand : term.operands) operands.push_back(&terms_[operand].cell);
  Term constant;
  constant.type = term.type;
  fill_column(*this, term, operands, std::span(&constant.cell, 1));
  return constant;
}

TermId TermGraph::constant(const Value& value) {
  Term term;
  if (value.is_real()) term.type = CellType::real;
  if (value.is_text()) term.type = CellType::text;
  term.cell = cell(value);
  return intern(std::move(term));
}

TermId TermGraph::unknown() {
  Term term;
  term.cell = kUnknown;
  return intern(std::move(term));
}

TermId TermGraph::truth_constant(bool value) { return constant(Value(value ? 1 : 0)); }

TermId TermGraph::parameter(int number, CellType type) {
  if (type == CellType::none) return kNone;
  Term term;
  term.op = TermOp::parameter;
  term.type = type;
  term.level = number;
  return intern(std::move(term));
}

TermId TermGraph::rank(int number) {
  Term term;
  term.op = TermOp::rank;
  term.level = number;
  return intern(std::move(term));
}

TermId TermGraph::table(int number, CellType type, std::vector<Cell> column) {
  if (type == CellType::none) return kNone;
  Term term;
  term.op = TermOp::table;
  term.type = type;
  term.level = number;
  term.cell = static_cast<Cell>(tables_.size());  // no two tables are taken for the same
  const TermId id = intern(std::move(term));
  tables_.emplace(id, std::move(column));
  return id;
}

TermId TermGraph::interpret(const std::vector<TermId>& ranks) {
  Term term;
  term.op = TermOp::interpret;
  term.operands = ranks;
  term.cell = static_cast<Cell>(size());  // nor two conditions
  return intern(std::move(term));
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

Value TermGraph::value_of(CellType type, Cell cell) {
  return type == CellType::real ? Value(real_of(cell)) : Value(cell);
}

TermId TermGraph::binary(TermOp op, CellType type, TermId left, TermId right) {
  Term term;
  term.op = op;
  term.type = type;
  term.operands = {left, right};
  return intern(std::move(term));
}

TermId TermGraph::to_real(TermId id) {
  if (terms_[id].type == CellType::real) return id;
  Term term;
  term.op = TermOp::to_real;
  term.type = CellType::real;
  term.operands = {id};
  return intern(std::move(term));
}

TermId TermGraph::negated(TermId id) {
  Term term;
  term.op = TermOp::negate;
  term.type = terms_[id].type;
  term.operands = {id};
  return intern(std::move(term));
}

TermId TermGraph::call(Operation operation, CellType type, const std::vector<TermId>& operands) {
  Term term;
  term.op = TermOp::call;
  term.operation = operation;
  term.type = type;
  term.operands = operands;
  return intern(std::move(term));
}

TermId TermGraph::arithmetic(Operation operation, const std::vector<TermId>& operands) {
  bool all_whole = true, all_real = true;
  for (const TermId operand : operands) {
    const CellType type = terms_[operand].type;
    if (type == CellType::none || type == CellType::text) return kNone;
    all_whole = all_whole && type == CellType::integer;
    all_real = all_real && type == CellType::real;
  }
  const CellType common = all_whole ? CellType::integer : CellType::real;
  const auto of_two = [&](TermOp op) {
    if (all_whole) return binary(op, CellType::integer, operands[0], operands[1]);
    const TermId left = to_real(operands[0]);
    return call(operation, CellType::real, {left, to_real(operands[1])});
  };
  switch (operation) {
    case Operation::add:
      return of_two(TermOp::add);
    case Operation::subtract:
      return of_two(TermOp::subtract);
    case Operation::multiply:
      return of_two(TermOp::multiply);
    case Operation::floor_divide:
      return of_two(TermOp::floor_divide);
    case Operation::modulo:
      return of_two(TermOp::modulo);
    case Operation::divide: {
      const TermId left = to_real(operands[0]);
      return call(operation, CellType::real, {left, to_real(operands[1])});
    }
    case Operation::negate:
      return all_whole ? negated(operands[0]) : call(operation, CellType::real, operands);
    case Operation::identity:
      return operands[0];
    case Operation::minimum:
    case Operation::maximum: {
      if (!all_whole && !all_real) return kNone;
      const TermOp op = operation == Operation::minimum ? TermOp::minimum : TermOp::maximum;
      TermId extreme = operands[0];
      for (std::size_t i = 1; i < operands.size(); ++i) {
        extreme = all_whole ? binary(op, common, extreme, operands[i])
                            : call(operation, common, {extreme, operands[i]});
      }
      return extreme;
    }
    case Operation::ceil_divide:
    case Operation::round_up: {
      if (!all_whole) return kNone;
      const TermId below = binary(TermOp::floor_divide, common, negated(operands[0]), operands[1]);
      const TermId rounded = negated(below);
      if (operation == Operation::ceil_divide) return rounded;
      return binary(TermOp::multiply, common, rounded, operands[1]);
    }
    case Operation::greatest_divisor:
    case Operation::integer_log2:
      return all_whole ? call(operation, CellType::integer, operands) : kNone;
    case Operation::floor:
    case Operation::ceiling:
    case Operation::to_integer:
      return call(operation, CellType::integer, operands);
    case Operation::to_real:
      return to_real(operands[0]);
    case Operation::log2:
    case Operation::square_root:
      return call(operation, CellType::real, operands);
    default:
      return call(operation, common, operands);  // power, absolute
  }
}

TermId TermGraph::compare(Operation operation, TermId left, TermId right) {
  const CellType left_type = terms_[left].type, right_type = terms_[right].type;
  if (left_type == CellType::none || right_type == CellType::none) return kNone;
  const bool is_text = left_type == CellType::text;
  if (is_text != (right_type == CellType::text)) return kNone;
  // The numbers of texts have no order.
  if (is_text && operation != Operation::equal && operation != Operation::not_equal) return kNone;
  if (left_type != right_type) {
    left = to_real(left);
    right = to_real(right);
  }
  switch (operation) {
    case Operation::equal:
      return binary(TermOp::equal, CellType::integer, left, right);
    case Operation::not_equal:
      return binary(TermOp::not_equal, CellType::integer, left, right);
    case Operation::less:
      return binary(TermOp::less, CellType::integer, left, right);
    case Operation::less_equal:
      return binary(TermOp::less_equal, CellType::integer, left, right);
    case Operation::greater:
      return binary(TermOp::less, CellType::integer, right, left);
    case Operation::greater_equal:
      return binary(TermOp::less_equal, CellType::integer, right, left);
    default:
      return kNone;
  }
}

TermId TermGraph::truth(TermId id) {
  const Term& term = terms_[id];
  if (term.is_truth) return id;
  if (term.type == CellType::integer) return compare(Operation::not_equal, id, constant(Value(0)));
  if (term.type == CellType::real) return compare(Operation::not_equal, id, constant(Value(0.0)));
  return kNone;
}

TermId TermGraph::both(TermId left, TermId right) {
  if (left == kNone) return kNone;
  if (is_constant(left)) return terms_[left].cell == 1 ? right : left;
  if (right == kNone || right == truth_constant(true)) return right == kNone ? kNone : left;
  return binary(TermOp::both, CellType::integer, left, right);
}

TermId TermGraph::either(TermId left, TermId right) {
  if (left == kNone) return kNone;
  if (is_constant(left)) return terms_[left].cell == 0 ? right : left;
  if (right == kNone || right == truth_constant(false)) return right == kNone ? kNone : left;
  return binary(TermOp::either, CellType::integer, left, right);
}

TermId TermGraph::inverse(TermId id) {
  if (id == kNone) return kNone;
  Term term;
  term.op = TermOp::inverse;
  term.operands = {id};
  return intern(std::move(term));
}

TermId TermGraph::select(TermId condition, TermId then, TermId otherwise) {
  if (condition == kNone) return kNone;
  if (is_constant(condition) && terms_[condition].cell != kUnknown) {
    return terms_[condition].cell == 1 ? then : otherwise;
  }
  if (terms_[then].type != terms_[otherwise].type || then == kNone) return kNone;
  Term term;
  term.op = TermOp::select;
  term.type = terms_[then].type;
  term.operands = {condition, then, otherwise};
  term.is_truth = terms_[then].is_truth && terms_[otherwise].is_truth;
  return intern(std::move(term));
}

}  // namespace gktune

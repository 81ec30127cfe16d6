#include "tuner/space/solver/column.h"

#include <algorithm>
#include <array>
#include <vector>

#include "tuner/space/language/arithmetic.h"

namespace gktune {
namespace {

// Operations on integers: each takes known cells and may return an unknown result.
Cell add(Cell a, Cell b) {
  Cell result = 0;
  return __builtin_add_overflow(a, b, &result) ? kUnknown : result;
}
Cell subtract(Cell a, Cell b) {
  Cell result = 0;
  return __builtin_sub_overflow(a, b, &result) ? kUnknown : result;
}
Cell multiply(Cell a, Cell b) {
  Cell result = 0;
  return __builtin_mul_overflow(a, b, &result) ? kUnknown : result;
}

Cell quotient(Cell a, Cell b) {
  return b == 0 ? kUnknown : floor_divide(a, b);  // the least integer is unknown: nothing overflows
}
Cell modulo(Cell a, Cell b) { return b == 0 ? kUnknown : floor_modulo(a, b); }

template <class Kernel>
void map_integers(std::span<const Cell* const> operands, std::span<Cell> out, Kernel kernel) {
  const Cell* a = operands[0];
  const Cell* b = operands[1];
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = a[i] == kUnknown || b[i] == kUnknown ? kUnknown : kernel(a[i], b[i]);
  }
}

template <class Kernel>
void compare_reals(std::span<const Cell* const> operands, std::span<Cell> out, Kernel kernel) {
  const Cell* a = operands[0];
  const Cell* b = operands[1];
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double left = real_of(a[i]), right = real_of(b[i]);
    out[i] = std::isnan(left) || std::isnan(right) ? kUnknown : kernel(left, right);
  }
}

void fill_integer(const Term& term, std::span<const Cell* const> in, std::span<Cell> out) {
  switch (term.op) {
    case TermOp::add:
      return map_integers(in, out, add);
    case TermOp::subtract:
      return map_integers(in, out, subtract);
    case TermOp::multiply:
      return map_integers(in, out, multiply);
    case TermOp::floor_divide:
      return map_integers(in, out, quotient);
    case TermOp::modulo:
      return map_integers(in, out, modulo);
    case TermOp::minimum:
      return map_integers(in, out, [](Cell a, Cell b) { return std::min(a, b); });
    case TermOp::maximum:
      return map_integers(in, out, [](Cell a, Cell b) { return std::max(a, b); });
    default:
      break;  // negate: the least integer is unknown, and stays so
  }
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[0][i] == kUnknown ? kUnknown : -in[0][i];
}

void fill_comparison(CellType type, const Term& term, std::span<const Cell* const> in, std::span<Cell> out) {
  const bool is_real = type == CellType::real;
  const auto equal = [](auto a, auto b) -> Cell { return a == b; };
  const auto not_equal = [](auto a, auto b) -> Cell { return a != b; };
  const auto less = [](auto a, auto b) -> Cell { return a < b; };
  const auto less_equal = [](auto a, auto b) -> Cell { return a <= b; };
  switch (term.op) {
    case TermOp::equal:
      return is_real ? compare_reals(in, out, equal) : map_integers(in, out, equal);
    case TermOp::not_equal:
      return is_real ? compare_reals(in, out, not_equal) : map_integers(in, out, not_equal);
    case TermOp::less:
      return is_real ? compare_reals(in, out, less) : map_integers(in, out, less);
    default:
      return is_real ? compare_reals(in, out, less_equal) : map_integers(in, out, less_equal);
  }
}

// The left operand decides whether the right one is looked at, as it does in the evaluator.
void fill_junction(Cell decisive, std::span<const Cell* const> in, std::span<Cell> out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Cell left = in[0][i];
    out[i] = left == decisive || left == kUnknown ? left : in[1][i];
  }
}

void fill_selection(const Term& term, std::span<const Cell* const> in, std::span<Cell> out) {
  const Cell unknown = unknown_of(term.type);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Cell condition = in[0][i];
    out[i] = condition == kUnknown ? unknown : in[condition != 0 ? 1 : 2][i];
  }
}

void fill_call(const TermGraph& graph, const Term& term, std::span<const Cell* const> in,
               std::span<Cell> out) {
  std::array<Value, 2> operands;
  const std::span<const Value> used(operands.data(), in.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    bool is_known = true;
    for (std::size_t j = 0; j < in.size(); ++j) {
      const CellType type = graph[term.operands[j]].type;
      is_known = is_known && !is_unknown(type, in[j][i]);
      operands[j] = TermGraph::value_of(type, in[j][i]);
    }
    out[i] = unknown_of(term.type);
    if (!is_known) continue;
    const auto result = calculate(term.operation, used);
    if (!result || result->is_real() != (term.type == CellType::real)) continue;
    out[i] = result->is_real() ? cell_of(result->real()) : result->integer();
  }
}

}  // namespace

void fill_column(const TermGraph& graph, const Term& term, std::span<const Cell* const> operands,
                 std::span<Cell> out) {
  switch (term.op) {
    case TermOp::add:
    case TermOp::subtract:
    case TermOp::multiply:
    case TermOp::floor_divide:
    case TermOp::modulo:
    case TermOp::negate:
    case TermOp::minimum:
    case TermOp::maximum:
      return fill_integer(term, operands, out);
    case TermOp::equal:
    case TermOp::not_equal:
    case TermOp::less:
    case TermOp::less_equal:
      return fill_comparison(graph[term.operands[0]].type, term, operands, out);
    case TermOp::both:
      return fill_junction(0, operands, out);
    case TermOp::either:
      return fill_junction(1, operands, out);
    case TermOp::inverse:
      for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = operands[0][i] == kUnknown ? kUnknown : !operands[0][i];
      return;
    case TermOp::select:
      return fill_selection(term, operands, out);
    case TermOp::to_real:
      for (std::size_t i = 0; i < out.size(); ++i) {
        const Cell cell = operands[0][i];
        out[i] = is_exact_in_real(cell) ? cell_of(static_cast<double>(cell)) : unknown_of(CellType::real);
      }
      return;
    case TermOp::call:
      return fill_call(graph, term, operands, out);
    case TermOp::constant:
    case TermOp::parameter:
    case TermOp::rank:
    case TermOp::table:
      return;  // not computed here: loaded
    case TermOp::interpret:
      break;
  }
  std::ranges::fill(out, kUnknown);
}

}  // namespace gktune

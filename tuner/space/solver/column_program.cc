#include <algorithm>
#include <array>
#include <numeric>

#include "tuner/space/solver/group_plan.h"

namespace gktune {
namespace {

// Cells that a program processes at a time: as many as a second-level cache holds.
constexpr std::size_t kWorkingCells = 32 * 1024;
constexpr std::size_t kShortestBatch = 16, kLongestBatch = 1024;

template <class Kernel>
void map_integers(std::span<const Cell* const> operands, std::span<Cell> out, Kernel kernel) {
  const Cell* a = operands[0];
  const Cell* b = operands.back();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = a[i] == kUnknown || b[i] == kUnknown ? kUnknown : kernel(a[i], b[i]);
  }
}

// The common operations on integers and on the numbers of texts. Returns false for another operation. No
// operand is the least integer, so that quotients and negations do not overflow.
bool fill_integers(Operation operation, std::span<const Cell* const> in, std::span<Cell> out) {
  const auto map = [&](auto kernel) {
    map_integers(in, out, kernel);
    return true;
  };
  const auto map_checked = [&](auto overflows) {
    return map([&](Cell a, Cell b) {
      Cell result = 0;
      return overflows(a, b, &result) ? kUnknown : result;
    });
  };
  switch (operation) {
    case Operation::add:
      return map_checked([](Cell a, Cell b, Cell* sum) { return __builtin_add_overflow(a, b, sum); });
    case Operation::subtract:
      return map_checked([](Cell a, Cell b, Cell* rest) { return __builtin_sub_overflow(a, b, rest); });
    case Operation::multiply:
      return map_checked([](Cell a, Cell b, Cell* product) { return __builtin_mul_overflow(a, b, product); });
    case Operation::floor_divide:
      return map([](Cell a, Cell b) { return b == 0 ? kUnknown : floor_divide(a, b); });
    case Operation::modulo:
      return map([](Cell a, Cell b) { return b == 0 ? kUnknown : floor_modulo(a, b); });
    case Operation::negate:
      return map([](Cell a, Cell) { return -a; });
    case Operation::minimum:
      return map([](Cell a, Cell b) { return std::min(a, b); });
    case Operation::maximum:
      return map([](Cell a, Cell b) { return std::max(a, b); });
    case Operation::equal:
      return map([](Cell a, Cell b) -> Cell { return a == b; });
    case Operation::not_equal:
      return map([](Cell a, Cell b) -> Cell { return a != b; });
    case Operation::less:
      return map([](Cell a, Cell b) -> Cell { return a < b; });
    case Operation::less_equal:
      return map([](Cell a, Cell b) -> Cell { return a <= b; });
    default:
      return false;
  }
}

// The result of an operation on known values; unknown if cells of this type cannot encode it.
Cell applied(const Term& term, std::span<const Value> operands) {
  if (term.operation >= Operation::equal && term.operation <= Operation::greater_equal) {
    const auto holds = compare(term.operation, operands[0], operands[1]);
    return holds ? Cell{*holds} : kUnknown;
  }
  const auto result = calculate(term.operation, operands);
  if (!result || result->is_real() != (term.type == CellType::real)) return unknown_of(term.type);
  return result->is_real() ? cell_of(result->real()) : result->integer();
}

void fill_apply(const TermGraph& graph, const Term& term, std::span<const Cell* const> in,
                std::span<Cell> out) {
  const auto type_of = [&](std::size_t i) { return graph[term.operands[i]].type; };
  const bool has_reals = type_of(0) == CellType::real || type_of(in.size() - 1) == CellType::real;
  if (!has_reals && fill_integers(term.operation, in, out)) return;
  constexpr Cell kMostExact = Cell{1} << 53;
  std::array<Value, 2> operands;
  const std::span<const Value> used(operands.data(), in.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    bool is_known = true;
    for (std::size_t j = 0; j < in.size(); ++j) {
      const Cell cell = in[j][i];
      is_known = is_known && !is_unknown(type_of(j), cell);
      operands[j] = type_of(j) == CellType::real ? Value(real_of(cell)) : Value(cell);
      // Comparisons with an integer that no double holds are left to the evaluator, which is exact.
      if (term.operation == Operation::to_real)
        is_known = is_known && cell >= -kMostExact && cell <= kMostExact;
    }
    out[i] = is_known ? applied(term, used) : unknown_of(term.type);
  }
}

}  // namespace

void fill_column(const TermGraph& graph, const Term& term, std::span<const Cell* const> in,
                 std::span<Cell> out) {
  if (term.kind == Term::Kind::apply) return fill_apply(graph, term, in, out);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const Cell first = in[0][i];
    if (term.kind == Term::Kind::interpret) {
      out[i] = kUnknown;
    } else if (first == kUnknown) {
      out[i] = unknown_of(term.type);
    } else if (term.kind == Term::Kind::inverse) {
      out[i] = !first;
    } else if (term.kind == Term::Kind::select) {
      out[i] = in[first != 0 ? 1 : 2][i];
    } else {
      out[i] = first == (term.kind == Term::Kind::both ? 0 : 1) ? first : in[1][i];
    }
  }
}

const std::vector<Cell>& ValueColumns::of(TermId term) {
  if (const auto known = columns_.find(term); known != columns_.end()) return known->second;
  return columns_.emplace(term, worked_out(term)).first->second;
}

std::vector<Cell> ValueColumns::worked_out(TermId id) {
  const Term& term = graph_[id];
  if (term.kind == Term::Kind::table) return graph_.table_column(id);
  const Parameter& parameter = parameters_[static_cast<std::size_t>(term.level)];
  std::vector<Cell> column(parameter.values.size());
  if (term.kind == Term::Kind::rank) {
    std::iota(column.begin(), column.end(), Cell{0});
  } else if (term.kind == Term::Kind::parameter) {
    std::ranges::transform(parameter.values, column.begin(),
                           [&](const Value& value) { return graph_.cell(value); });
  } else {
    std::vector<const Cell*> operands;
    std::vector<std::vector<Cell>> constants;
    constants.reserve(term.operands.size());
    for (const TermId operand : term.operands) {
      if (graph_.is_constant(operand)) {
        operands.push_back(constants.emplace_back(column.size(), graph_[operand].cell).data());
      } else {
        operands.push_back(of(operand).data());
      }
    }
    fill_column(graph_, term, operands, column);
  }
  return column;
}

ColumnProgram::ColumnProgram(const TermGraph& graph, ValueColumns& columns, std::span<const TermId> slots,
                             int level, std::span<const TermId> wanted)
    : graph_(graph) {
  for (const TermId term : wanted) results_.push_back(place(term, columns, slots, level));
  for (const Gather& gather : gathers_) {
    if (gather.column == nullptr) slots_read_.push_back(gather.slot);
  }
  std::ranges::sort(slots_read_);
  capacity_ =
      std::clamp(kWorkingCells / std::max<std::size_t>(1, places_.size()), kShortestBatch, kLongestBatch);
  registers_.resize(places_.size());
  for (const auto& [term, at] : places_) registers_[at].assign(capacity_, graph[term].cell);
}

std::size_t ColumnProgram::place(TermId id, ValueColumns& columns, std::span<const TermId> slots, int level) {
  if (const auto known = places_.find(id); known != places_.end()) return known->second;
  const Term& term = graph_[id];
  const auto slot = std::ranges::find(slots, id);
  const bool is_given = graph_.is_constant(id) || term.level < level || term.is_single;
  std::vector<std::size_t> operands;
  for (const TermId operand : is_given ? std::vector<TermId>() : term.operands)
    operands.push_back(place(operand, columns, slots, level));
  const std::size_t target = places_.size();
  if (!is_given) {
    instructions_.push_back({&term, std::move(operands), target});
  } else if (slot != slots.end()) {
    gathers_.push_back({target, nullptr, static_cast<std::uint32_t>(slot - slots.begin())});
  } else if (!graph_.is_constant(id)) {
    gathers_.push_back({target, &columns.of(id), 0});
  }
  places_.emplace(id, target);
  return target;
}

void ColumnProgram::run(const Batch& batch) {
  const std::size_t count = batch.ranks.size();
  for (const Gather& gather : gathers_) {
    Cell* const out = registers_[gather.target].data();
    if (gather.column != nullptr) {
      const Cell* const column = gather.column->data();
      for (std::size_t i = 0; i < count; ++i) out[i] = column[batch.ranks[i]];
    } else {
      const Cell* const slot = batch.cells.data() + gather.slot;
      for (std::size_t i = 0; i < count; ++i) out[i] = slot[batch.states[i] * batch.width];
    }
  }
  std::vector<const Cell*> operands;
  for (const Instruction& instruction : instructions_) {
    operands.clear();
    for (const std::size_t operand : instruction.operands) operands.push_back(registers_[operand].data());
    fill_column(graph_, *instruction.term, operands, std::span(registers_[instruction.target]).first(count));
  }
}

}  // namespace gktune

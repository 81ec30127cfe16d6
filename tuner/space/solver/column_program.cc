#include "tuner/space/solver/column_program.h"

#include <algorithm>
#include <numeric>

#include "tuner/space/solver/column.h"

namespace gktune {
namespace {

// Cells that a program processes at a time: as many as a second-level cache holds.
constexpr std::size_t kWorkingCells = 32 * 1024;
constexpr std::size_t kShortestBatch = 16, kLongestBatch = 1024;

}  // namespace

const std::vector<Cell>& ValueColumns::of(TermId term) {
  if (const auto known = columns_.find(term); known != columns_.end()) return known->second;
  return columns_.emplace(term, worked_out(term)).first->second;
}

std::vector<Cell> ValueColumns::worked_out(TermId id) {
  const Term& term = graph_[id];
  if (term.op == TermOp::table) return graph_.table_column(id);
  const Parameter& parameter = parameters_[static_cast<std::size_t>(term.level)];
  std::vector<Cell> column(parameter.values.size());
  if (term.op == TermOp::rank) {
    std::iota(column.begin(), column.end(), Cell{0});
  } else if (term.op == TermOp::parameter) {
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
  Instruction instruction{&term, {}, 0};
  const bool is_given = graph_.is_constant(id) || term.level < level || term.is_single;
  if (!is_given) {
    for (const TermId operand : term.operands) {
      instruction.operands.push_back(place(operand, columns, slots, level));
    }
  }
  const std::size_t target = places_.size();
  if (!is_given) {
    instruction.target = target;
    instructions_.push_back(std::move(instruction));
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

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "tuner/space/solver/parameter.h"
#include "tuner/space/solver/term.h"

namespace gktune {

// The columns of terms that depend on one parameter: a cell for each of its values. Worked out once.
class ValueColumns {
 public:
  // Both must outlive it.
  ValueColumns(TermGraph& graph, const std::vector<Parameter>& parameters)
      : graph_(graph), parameters_(parameters) {}
  const std::vector<Cell>& of(TermId term);

 private:
  std::vector<Cell> worked_out(TermId term);

  TermGraph& graph_;
  const std::vector<Parameter>& parameters_;
  std::unordered_map<TermId, std::vector<Cell>> columns_;
};

// Combinations at one level of a group: a state (what is known of the levels above) and a value of the
// parameter.
struct Batch {
  std::span<const Cell> cells;  // of all states, a row each
  std::size_t width = 0;        // of a row
  std::span<const std::uint32_t> states, ranks;
};

// Computes some terms for a batch of combinations, instruction by instruction, each over the whole batch at
// once.
class ColumnProgram {
 public:
  // `slots` are the terms whose cells the states hold, in their order.
  ColumnProgram(const TermGraph& graph, ValueColumns& columns, std::span<const TermId> slots, int level,
                std::span<const TermId> wanted);

  // The longest batch.
  std::size_t capacity() const { return capacity_; }
  void run(const Batch& batch);
  // The column of one of the wanted terms, after a run.
  const Cell* result(std::size_t wanted) const { return registers_[results_[wanted]].data(); }
  // Slots that it reads.
  const std::vector<std::uint32_t>& slots() const { return slots_read_; }

 private:
  struct Gather {
    std::size_t target;
    const std::vector<Cell>* column;  // by rank; nothing: by state
    std::uint32_t slot;
  };
  struct Instruction {
    const Term* term;
    std::vector<std::size_t> operands;
    std::size_t target;
  };

  std::size_t place(TermId term, ValueColumns& columns, std::span<const TermId> slots, int level);

  const TermGraph& graph_;
  std::size_t capacity_ = 0;
  std::vector<std::vector<Cell>> registers_;
  std::vector<Gather> gathers_;
  std::vector<Instruction> instructions_;
  std::vector<std::size_t> results_;
  std::vector<std::uint32_t> slots_read_;
  std::unordered_map<TermId, std::size_t> places_;  // of terms among the registers
};

}  // namespace gktune

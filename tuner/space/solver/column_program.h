#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "tuner/space/solver/parameter.h"
#include "tuner/space/solver/term.h"

namespace gktune {

// Computes the columns of terms that depend on one parameter, each once. A column has a cell for each value.
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

// Combinations at one level of a group. Each has a state (the known terms of the levels above) and a
// value of the level's parameter.
struct Batch {
  std::span<const Cell> cells;  // a row for each state
  std::size_t width = 0;        // number of cells in a row
  std::span<const std::uint32_t> states, ranks;
};

// Computes some terms for a batch of combinations. Each instruction runs over the whole batch.
class ColumnProgram {
 public:
  // `slots` are the terms of a state's cells, in order. `wanted` are the terms to compute.
  ColumnProgram(const TermGraph& graph, ValueColumns& columns, std::span<const TermId> slots, int level,
                std::span<const TermId> wanted);

  // The largest number of combinations in a batch.
  std::size_t capacity() const { return capacity_; }
  void run(const Batch& batch);
  // The column of a wanted term after run(). `wanted` is its index.
  const Cell* result(std::size_t wanted) const { return registers_[results_[wanted]].data(); }
  // The indices of the slots that it reads.
  const std::vector<std::uint32_t>& slots() const { return slots_read_; }

 private:
  struct Gather {
    std::size_t target;
    const std::vector<Cell>* column;  // indexed by rank; null: a slot of the state
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

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "tuner/space/solver/space.h"
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

// A condition of a constraint: an operand of the constraint's outer `and`, or the whole constraint.
struct Condition {
  std::size_t constraint = 0;  // number of the constraint
  NodePtr node;
  TermId root = TermGraph::kNone;
};

// Terms of the constraints.
struct Terms {
  TermGraph graph;
  std::vector<Condition> conditions;
  const Scope* scope = nullptr;  // all names except those of parameters with several values
};

// Turns a constraint into terms, and adds its conditions. Returns an error for an unknown name.
std::optional<ExpressionError> compile_constraint(std::size_t number, const Expression& constraint,
                                                  const std::vector<Parameter>& parameters, Terms& terms,
                                                  std::vector<Condition>& conditions);

// The order of evaluation in a group. A level decides each condition whose last parameter is the level's,
// decides conditions that later ones imply, and computes the terms that the levels below use.
class GroupPlan {
 public:
  // A condition, or a condition that it implies and that can be decided earlier.
  struct Decision {
    TermId root;
    std::size_t condition;
    bool is_implied;
  };
  // A decision of a level, and the program that computes it.
  struct Check {
    Decision decision;
    ColumnProgram program;
  };
  struct Level {
    const Parameter* parameter = nullptr;
    std::vector<TermId> slots;  // the known terms of the levels above
    std::vector<Check> checks;
    std::optional<ColumnProgram> advance;  // computes the next level's slots
  };

  // All arguments must outlive it. `members` are the numbers of the group's parameters, `conditions` those of
  // the conditions that use them.
  GroupPlan(Terms& terms, const std::vector<Parameter>& parameters, std::vector<std::uint32_t> members,
            std::span<const std::size_t> conditions);

  std::vector<Level>& levels() { return levels_; }
  const std::vector<Level>& levels() const { return levels_; }

 private:
  std::size_t position(TermId term) const;
  std::vector<Decision> decisions(std::span<const std::size_t> conditions);
  std::vector<std::vector<TermId>> live_terms(const std::vector<Decision>& decisions) const;

  Terms& terms_;
  const std::vector<std::uint32_t> members_;
  ValueColumns columns_;
  std::vector<Level> levels_;
};

// Builds the tree of one group. The arguments are those of GroupPlan.
Result<GroupTree, SpaceError> build_group(Terms& terms, const std::vector<Parameter>& parameters,
                                          std::vector<std::uint32_t> members,
                                          std::span<const std::size_t> conditions, const SpaceLimits& limits);

}  // namespace gktune

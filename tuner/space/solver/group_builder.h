#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gktune/result.h"
#include "tuner/space/solver/cell_table.h"
#include "tuner/space/solver/group_plan.h"
#include "tuner/space/solver/group_tree.h"
#include "tuner/space/solver/parameter.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// Builds the tree of one group, level by level from the root. A state has the cells of the terms of the
// levels above that the levels below use. Combinations with the same state have the same valid continuations,
// so that the builder expands states instead of combinations.
class GroupBuilder {
 public:
  // All arguments must outlive it. `members` are the numbers of the group's parameters, `conditions` those of
  // the conditions that use them.
  GroupBuilder(Terms& terms, const std::vector<Parameter>& parameters, std::vector<std::uint32_t> members,
               std::span<const std::size_t> conditions, const SpaceLimits& limits);

  Result<GroupTree, SpaceError> build();

 private:
  using Branch = GroupTree::Branch;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};

  // The states above a level, and the next state for each valid value.
  struct Layer {
    explicit Layer(std::size_t width) : states(width) {}
    CellTable states;
    std::vector<std::uint32_t> parents, parent_ranks;  // for each state, one way to reach it
    std::vector<std::size_t> begin{0};                 // the first branch of each state
    std::vector<Branch> branches;                      // lead to states of the next layer
  };
  // Some of a layer's states, each with a mask of the values that are still valid.
  struct Chunk {
    std::size_t level, first, count, words;
    std::vector<std::uint64_t> masks;
    std::uint64_t* mask(std::size_t state) { return masks.data() + state * words; }
  };
  // The verdicts of a condition on the states of a chunk. States that are equal in all terms
  // of the condition share a row.
  struct Verdicts {
    std::size_t condition = 0;
    std::vector<std::uint32_t> row_of;           // for each state
    std::vector<std::uint32_t> representatives;  // for each row, one of its states
    std::vector<std::uint64_t> masks;            // for each row, the values that are not known to fail
    std::vector<std::size_t> unknown_begin{0};   // for each row, its first entry of unknown_ranks
    std::vector<std::uint32_t> unknown_ranks;
  };
  // A branch for which a condition cannot be evaluated. It is an error if the branch
  // leads to a valid combination.
  struct Failing {
    std::size_t level, condition;
    std::uint32_t state, rank;
    ExpressionError error;
  };

  std::optional<SpaceError> expand(std::size_t level);
  void decide(Chunk& chunk);
  Verdicts judge(const Chunk& chunk, GroupPlan::Check& check);
  void group_rows(const Chunk& chunk, const GroupPlan::Check& check, Verdicts& verdicts) const;
  void settle_unknowns(Chunk& chunk, const Verdicts& verdicts);
  void advance(Chunk& chunk);
  void advance_each(Chunk& chunk);
  std::uint32_t next_state(const Chunk& chunk, const Cell* row, std::uint32_t state, std::uint32_t rank);

  std::optional<SpaceError> collapse(std::size_t level, std::vector<std::uint32_t>& nodes, GroupTree& tree);
  NamedValues path(std::size_t level, std::uint32_t state, std::uint32_t rank) const;
  SpaceError failure(const Failing& failing) const;
  std::optional<SpaceError> over_limits() const;

  Terms& terms_;
  const SpaceLimits& limits_;
  GroupPlan plan_;
  std::vector<Layer> layers_;
  std::vector<Failing> failing_;
  std::uint64_t evaluations_ = 0;
};

}  // namespace gktune

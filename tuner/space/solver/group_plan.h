#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "tuner/space/solver/column_program.h"
#include "tuner/space/solver/constraint_compiler.h"
#include "tuner/space/solver/parameter.h"
#include "tuner/space/solver/term.h"

namespace gktune {

// Terms of the constraints.
struct Terms {
  TermGraph graph;
  std::vector<Condition> conditions;
  const Scope* scope = nullptr;  // all names except those of parameters with several values
};

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

}  // namespace gktune

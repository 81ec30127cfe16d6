#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gktune/result.h"
#include "gktune/values.h"
#include "tuner/space/solver/group_builder.h"
#include "tuner/space/solver/group_product.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// Builds a space: inserts constants into the constraints, finds the groups and builds their trees.
class SpaceBuilder {
 public:
  // All arguments must outlive it.
  SpaceBuilder(const std::vector<Parameter>& parameters, const std::vector<Constraint>& constraints,
               const Scope& scope, const SpaceLimits& limits);

  Result<GroupProduct, SpaceError> build();

 private:
  // The numbers of a group's parameters and of the conditions that use them, ascending.
  struct Plan {
    std::vector<std::uint32_t> members;
    std::vector<std::size_t> conditions;
  };

  std::optional<SpaceError> check_parameters() const;
  std::optional<SpaceError> compile();
  std::optional<SpaceError> check_constant(const Condition& condition) const;
  std::vector<Plan> groups() const;
  std::vector<std::uint32_t> parameters_of(TermId term) const;
  Result<Group, SpaceError> build(const Plan& plan);
  SpaceError nothing_left(const Plan& plan);
  SpaceError nothing_left(std::size_t constraint) const;

  const std::vector<Parameter>& parameters_;
  const std::vector<Constraint>& constraints_;
  const SpaceLimits& limits_;
  NamedValues fixed_;  // the parameters with one value
  Scope scope_;        // the given scope and fixed_
  Terms terms_;
};

}  // namespace gktune

#include "tuner/space/solver/census.h"

#include <array>
#include <utility>

namespace gktune {

Result<Census, SpaceError> take_census(const std::vector<Parameter>& parameters,
                                       const std::vector<Constraint>& constraints, const Scope& scope,
                                       const SpaceLimits& limits) {
  using Origin = Constraint::Origin;
  Census census;
  census.combinations = 1;
  for (const Parameter& parameter : parameters) census.combinations *= parameter.values.size();
  const std::array<std::pair<Origin, Count*>, 3> stages = {
      {{Origin::file, &census.rejected_by_file},
       {Origin::block_limit, &census.rejected_by_block_limit},
       {Origin::shared_memory_limit, &census.rejected_by_shared_memory_limit}}};
  std::vector<Constraint> applied;
  census.valid = census.combinations;
  for (const auto& [origin, rejected] : stages) {
    const std::size_t before = applied.size();
    for (const Constraint& constraint : constraints) {
      if (constraint.origin == origin) applied.push_back(constraint);
    }
    if (applied.size() == before || census.valid == 0) continue;
    const auto space = Space::build(parameters, applied, scope, limits);
    if (!space && space.error().kind != SpaceError::Kind::empty) return space.error();
    const Count left = space ? space->size() : Count(0);
    *rejected = census.valid - left;
    census.valid = left;
  }
  return census;
}

}  // namespace gktune

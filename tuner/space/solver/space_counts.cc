#include "tuner/space/solver/space_counts.h"

#include <array>
#include <utility>

namespace gktune {

Result<SpaceCounts, SpaceError> count_combinations(const std::vector<Parameter>& parameters,
                                       const std::vector<Constraint>& constraints, const Scope& scope,
                                       const SpaceLimits& limits) {
  using Origin = Constraint::Origin;
  SpaceCounts counts;
  counts.combinations = 1;
  for (const Parameter& parameter : parameters) counts.combinations *= parameter.values.size();
  const std::array<std::pair<Origin, Count*>, 3> stages = {
      {{Origin::file, &counts.rejected_by_file},
       {Origin::block_limit, &counts.rejected_by_block_limit},
       {Origin::shared_memory_limit, &counts.rejected_by_shared_memory_limit}}};
  std::vector<Constraint> applied;
  counts.valid = counts.combinations;
  for (const auto& [origin, rejected] : stages) {
    const std::size_t before = applied.size();
    for (const Constraint& constraint : constraints) {
      if (constraint.origin == origin) applied.push_back(constraint);
    }
    if (applied.size() == before || counts.valid == 0) continue;
    const auto space = Space::build(parameters, applied, scope, limits);
    if (!space && space.error().kind != SpaceError::Kind::empty) return space.error();
    const Count left = space ? space->size() : Count(0);
    *rejected = counts.valid - left;
    counts.valid = left;
  }
  return counts;
}

}  // namespace gktune

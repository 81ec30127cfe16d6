#pragma once

#include <string>
#include <vector>

#include "engine/engine_error.h"
#include "tuner/core/device_info.h"
#include "tuner/space/definition.h"
#include "tuner/space/solver/space_counts.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// The configurations of a space file for one problem on a device.
class ProblemSpace {
 public:
  // The definition and the problem must outlive it.
  ProblemSpace(const Definition& definition, const Problem& problem, const DeviceInfo& device);

  // An empty space is an error. Its message counts the combinations that the file's constraints rule out and
  // those that the device's limits rule out.
  Result<Space, EngineError> build() const;
  Result<SpaceCounts, EngineError> counts() const;

 private:
  Result<Space, EngineError> build_listed() const;
  Scope scope() const;
  EngineError failure(const SpaceError& error) const;

  const Definition& definition_;
  const Problem& problem_;
  NamedValues attributes_;
  std::vector<Constraint> constraints_;
};

// "300 of 1,024 combinations are valid; the file's constraints rule out 700; …"
std::string counts_text(const SpaceCounts& counts);

}  // namespace gktune

#pragma once

#include <string>
#include <vector>

#include "cli/exit_code.h"
#include "tuner/core/device_info.h"
#include "tuner/space/definition.h"
#include "tuner/space/solver/census.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// Why no search can begin, and how the program ends for it.
struct SpaceFailure {
  ExitCode code;
  std::string message;
};

// What a space file, one problem and a device make of the parameters.
class ProblemSpace {
 public:
  // They must outlive it, but for the device.
  ProblemSpace(const Definition& definition, const Problem& problem, const DeviceInfo& device);

  // An empty space is a failure that tells the file's constraints and the device's limits apart.
  Result<Space, SpaceFailure> build() const;
  Result<Census, SpaceFailure> census() const;

 private:
  Scope scope() const;
  SpaceFailure failure(const SpaceError& error) const;

  const Definition& definition_;
  const Problem& problem_;
  NamedValues attributes_;
  std::vector<Constraint> constraints_;
};

// "300 of 1,024 combinations are valid; the file's constraints rule out 700; …"
std::string census_text(const Census& census);

}  // namespace gktune

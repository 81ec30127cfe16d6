#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "db/database.h"
#include "tuner/core/result.h"
#include "tuner/space/plan.h"

namespace gktune {

// The plan of a stored trial.
struct TrialPlan {
  Plan plan;
  std::vector<std::string>
      options;  // for the compiler of the kernel's language, also if a CPU ran the kernel
};

// Plans for the device that the trial was recorded with. A trial recorded without its device's figures needs
// that device in this machine.
Result<TrialPlan> plan_of_trial(const KernelDefinition& kernel, const StudiedTrial& trial,
                                const Context& context);

}  // namespace gktune

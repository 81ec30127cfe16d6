#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "db/store.h"
#include "tuner/core/result.h"
#include "tuner/space/plan.h"

namespace gktune {

// A trial of the database as it was run.
struct TrialPlan {
  Plan plan;
  std::vector<std::string> options;  // for the language's own compiler, wherever it was tuned
};

// Of its device the database keeps little more than its name: a kernel whose launches ask for more can be
// planned only where such a device is.
Result<TrialPlan> plan_of_trial(const KernelDefinition& kernel, const StudiedTrial& trial,
                                const Context& context);

}  // namespace gktune

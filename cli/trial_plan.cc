#include "cli/trial_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/device_flags.h"
#include "engine/study_selection.h"
#include "tuner/core/device_kinds.h"

namespace gktune {
Result<TrialPlan> plan_of_trial(const KernelDefinition& kernel, const StudiedTrial& trial,
                                const Context&) {
  const DeviceInfo& device = trial.device;
  auto plan = resolve(kernel, trial.trial.config, trial.trial.problem, device);
  if (!plan) return plan.error();
  if (plan->reference_error) return Error{*std::move(plan->reference_error)};
  TrialPlan planned{*std::move(plan), {}};
  planned.options = planned.plan.candidate.source.options;
  if (kernel.language == Language::cuda && !is_gpu(device.kind)) {
    // On the host device the plan has the options of the host's compiler.
    DeviceInfo gpu = device;
    gpu.kind = std::ranges::find_if(known_device_kinds(), &DeviceKind::is_gpu)->name;
    auto other = resolve(kernel, trial.trial.config, trial.trial.problem, gpu);
    if (!other) return other.error();
    planned.options = other->candidate.source.options;
  }
  return planned;
}

}  // namespace gktune

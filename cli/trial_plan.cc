#include "cli/trial_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "cli/device_flags.h"
#include "engine/study_selection.h"
#include "tuner/core/device_kinds.h"

namespace gktune {
namespace {

std::optional<DeviceInfo> find_here(const DeviceIdentity& identity, const Context& context) {
  for (int ordinal = 0; ordinal == 0 || is_gpu(identity.kind); ++ordinal) {
    auto device = probe_device(worker_argv(context), {identity.kind, ordinal});
    if (!device) return std::nullopt;
    if (identity_of(*device) == identity) return *std::move(device);
  }
  return std::nullopt;
}

}  // namespace

Result<TrialPlan> plan_of_trial(const KernelDefinition& kernel, const StudiedTrial& trial,
                                const Context& context) {
  const auto device = trial.device ? trial.device : find_here(trial.study.device, context);
  if (!device) {
    return Error{
        fmt::format("an older version of gktune recorded it, without the limits of its device: run this on a "
                    "machine with "
                    "'{}'",
                    trial.study.device.name)};
  }
  auto plan = resolve(kernel, trial.trial.config, trial.trial.problem, *device);
  if (!plan) return plan.error();
  if (plan->reference_error) return Error{*std::move(plan->reference_error)};
  TrialPlan planned{*std::move(plan), {}};
  planned.options = planned.plan.candidate.source.options;
  if (kernel.language == Language::cuda && !is_gpu(device->kind)) {
    // On the host device the plan has the options of the host's compiler.
    DeviceInfo gpu = *device;
    gpu.kind = std::ranges::find_if(known_device_kinds(), &DeviceKind::is_gpu)->name;
    auto other = resolve(kernel, trial.trial.config, trial.trial.problem, gpu);
    if (!other) return other.error();
    planned.options = other->candidate.source.options;
  }
  return planned;
}

}  // namespace gktune

#include "cli/trial_plan.h"

#include <fmt/format.h>

#include <optional>

#include "cli/device_flags.h"
#include "engine/known_device.h"

namespace gktune {
namespace {

// What the database knows, and one guess at all else.
DeviceInfo guess_of(const DeviceIdentity& identity, std::int64_t figure) {
  DeviceInfo device;
  device.kind = identity.kind;
  device.name = identity.name;
  device.architecture = identity.architecture;
  device.multiprocessors = identity.multiprocessors;
  using Info = DeviceInfo;
  for (std::int64_t Info::*unknown : {&Info::max_threads_per_block,
                                      &Info::max_block_x,
                                      &Info::max_block_y,
                                      &Info::max_block_z,
                                      &Info::max_grid_x,
                                      &Info::max_grid_y,
                                      &Info::max_grid_z,
                                      &Info::max_threads_per_multiprocessor,
                                      &Info::max_blocks_per_multiprocessor,
                                      &Info::shared_bytes_per_block,
                                      &Info::shared_bytes_per_block_optin,
                                      &Info::shared_bytes_per_multiprocessor,
                                      &Info::registers_per_block,
                                      &Info::registers_per_multiprocessor,
                                      &Info::constant_bytes,
                                      &Info::l2_bytes,
                                      &Info::memory_bytes,
                                      &Info::clock_khz,
                                      &Info::memory_clock_khz,
                                      &Info::memory_bus_bits}) {
    device.*unknown = figure;
  }
  return device;
}

std::optional<DeviceInfo> find_here(const DeviceIdentity& identity, const Context& context) {
  for (int ordinal = 0; ordinal == 0 || identity.kind == "cuda"; ++ordinal) {
    auto device = probe_device(worker_argv(context), {identity.kind, ordinal});
    if (!device) return std::nullopt;
    if (identity_of(*device) == identity) return *std::move(device);
  }
  return std::nullopt;
}

bool is_same(const Plan& a, const Plan& b) {
  return a.candidate == b.candidate && a.reference == b.reference && a.arguments == b.arguments &&
         a.environment == b.environment;
}

Result<Plan> plan_on_device(const KernelDefinition& kernel, const StudiedTrial& found,
                            const Context& context) {
  const auto& [study, trial] = found;
  const auto resolved = [&, &trial = trial](const DeviceInfo& device) {
    return resolve(kernel, trial.config, trial.problem, device);
  };
  // What the least and the most that a figure may be agree upon does not hang on it.
  auto least = resolved(guess_of(study.device, 0)),
       most = resolved(guess_of(study.device, std::int64_t{1} << 40));
  if (least && most && is_same(*least, *most)) return least;
  if (const auto device = find_here(study.device, context)) return resolved(*device);
  if (!least && !most) return least;
  return Error{fmt::format(
      "what it does depends on more of the device than the database keeps: ask where there is a {}",
      study.device.name)};
}

}  // namespace

Result<TrialPlan> plan_of_trial(const KernelDefinition& kernel, const StudiedTrial& trial,
                                const Context& context) {
  auto plan = plan_on_device(kernel, trial, context);
  if (!plan) return plan.error();
  TrialPlan planned{*std::move(plan), {}};
  planned.options = planned.plan.candidate.source.options;
  if (kernel.language == Language::cuda && trial.study.device.kind != "cuda") {
    // The host device's options are another compiler's.
    StudiedTrial on_gpu = trial;
    on_gpu.study.device.kind = "cuda";
    auto other = resolve(kernel, trial.trial.config, trial.trial.problem, guess_of(on_gpu.study.device, 0));
    if (!other) return other.error();
    planned.options = other->candidate.source.options;
  }
  return planned;
}

}  // namespace gktune

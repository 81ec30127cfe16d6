#include "engine/import/replay.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "engine/spaces.h"
#include "tuner/core/text.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

bool has_axes_of(const KernelDefinition& kernel, const Problem& problem) {
  return std::ranges::all_of(problem, [&](const auto& entry) {
    return std::ranges::find(kernel.axes, entry.first, &Axis::name) != kernel.axes.end();
  });
}

}  // namespace

Definition definition_of(const Recording& recording, const std::string& path) {
  Definition definition;
  definition.path = path;
  definition.fingerprint = "recording " + recording.name;
  definition.parameters = recording.parameters;
  KernelDefinition& kernel = definition.kernel;
  kernel.name = recording.kernel;
  kernel.objective = objective_from_text(recording.objective);
  for (const auto& [name, value] : recording.problem) kernel.axes.push_back({name, {value}, {}});
  kernel.listed_problems = {recording.problem};
  for (const Parameter& parameter : recording.parameters) kernel.parameter_names.push_back(parameter.name);
  for (const Trial& trial : recording.trials) definition.listed.push_back(trial.config);
  return definition;
}

Result<std::unique_ptr<ReplayDevice>, EngineError> open_replay(const KernelDefinition& kernel,
                                                               const FoundDevice& found) {
  const std::vector<Recording>& recordings = *found.recordings;
  std::vector<const Recording*> chosen;
  std::set<std::string> kernels;
  for (const Recording& each : recordings) {
    kernels.insert(each.kernel);
    // Times of two devices do not mix: the first one counts.
    if (each.kernel == kernel.name && (chosen.empty() || each.device.name == chosen.front()->device.name))
      chosen.push_back(&each);
  }
  if (chosen.empty() && recordings.size() == 1) chosen = {&recordings.front()};
  if (chosen.empty()) {
    return EngineError{EngineError::Kind::wrong_device,
                       "kernel '" + kernel.name + "' is not recorded; there is " + joined(kernels),
                       {}};
  }

  std::vector<Trial> trials;
  for (const Recording* each : chosen) {
    const bool is_of_any_problem = !has_axes_of(kernel, each->problem);
    for (Trial trial : each->trials) {
      if (is_of_any_problem) trial.problem = {};
      trials.push_back(std::move(trial));
    }
  }
  const DeviceInfo info = chosen.front()->device;
  return std::make_unique<ReplayDevice>(info, std::move(trials), 1, [kernel, info](Trial& trial) {
    // A recording without a space file has no metrics to evaluate.
    if (trial.ok() && !kernel.metrics.empty() && !evaluate_metrics(kernel, info, trial)) trial.metrics = {};
  });
}

}  // namespace gktune

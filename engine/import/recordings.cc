#include "engine/import/recordings.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "db/database.h"
#include "engine/spaces.h"
#include "tuner/core/text.h"
#include "tuner/core/whole_file.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

std::string name_of(const Study& study, const std::filesystem::path& path) {
  std::string name = path.stem().string() + " " + study.kernel;
  if (!study.problem.empty()) name += " " + study.problem.str();
  return name + " on " + study.device.name;
}

Recording recording_of(const Study& study, std::vector<Trial> trials, const std::filesystem::path& path) {
  Recording recording;
  recording.name = name_of(study, path);
  recording.kernel = study.kernel;
  recording.device.kind = "replay";
  recording.device.name = study.device.name;
  recording.device.architecture = study.device.architecture;
  recording.device.multiprocessors = study.device.multiprocessors;
  recording.problem = study.problem;
  recording.objective = study.objective;
  for (const auto& [name, value] : trials.front().config) recording.parameters.push_back({.name = name});
  for (const Trial& trial : trials) recording.keys.push_back(trial.config.json());
  recording.trials = std::move(trials);
  return recording;
}

Result<std::vector<Recording>> read_database(const std::filesystem::path& path) {
  auto store = Database::open(path, Database::Access::read);
  if (!store) return store.error();
  auto studies = (*store)->studies();
  if (!studies) return studies.error();
  std::vector<Recording> recordings;
  for (const StudySummary& each : *studies) {
    auto trials = (*store)->trials(each.id);
    if (!trials) return trials.error();
    if (trials->empty()) continue;
    auto recording = complete(recording_of(each.study, *std::move(trials), path));
    if (!recording) return Error{path.string() + ": " + recording.error().message};
    recordings.push_back(*std::move(recording));
  }
  if (recordings.empty()) return Error{path.string() + ": no configuration is recorded"};
  return recordings;
}

bool has_axes_of(const KernelDefinition& kernel, const Problem& problem) {
  return std::ranges::all_of(problem, [&](const auto& entry) {
    return std::ranges::find(kernel.axes, entry.first, &Axis::name) != kernel.axes.end();
  });
}

}  // namespace

Result<std::vector<Recording>> read_recordings(const std::filesystem::path& path) {
  if (is_database(path)) return read_database(path);
  auto recording = read_recording(path);
  if (!recording) return recording.error();
  std::vector<Recording> recordings;
  recordings.push_back(*std::move(recording));
  return recordings;
}

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

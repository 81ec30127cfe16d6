#include "engine/import/recordings.h"

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <set>
#include <utility>

#include "engine/spaces.h"
#include "tuner/core/files.h"
#include "tuner/core/text.h"
#include "tuner/core/version.h"
#include "tuner/space/fingerprint.h"
#include "tuner/space/plan.h"

namespace gktune {
namespace {

// The median ranks trials, as of those that gktune measures. Files rank by the mean.
void rank_by_median(Trial& trial, const Objective& objective) {
  if (trial.ok() && objective.metric.empty()) trial.objective = trial.timing.median_us;
}

// Requires a trial.
Result<Recording> recording_of(std::string recording_name, const Study& study, std::vector<Trial> trials) {
  const DeviceIdentity& device = study.device;
  Recording recording{.name = std::move(recording_name),
                      .kernel = study.kernel,
                      .device = {"replay", device.name, device.architecture, device.multiprocessors},
                      .problem = study.problem,
                      .objective = study.objective};
  for (const auto& [name, value] : trials.front().config) recording.parameters.push_back({.name = name});
  recording.trials = std::move(trials);
  return complete(std::move(recording));
}

Result<std::vector<Recording>> read_database(const std::filesystem::path& path) {
  auto store = Database::open(path, Database::Access::read);
  if (!store) return store.error();
  auto studies = (*store)->studies(Counts::ignored);
  if (!studies) return studies.error();
  std::vector<Recording> recordings;
  for (const StudySummary& each : *studies) {
    auto trials = (*store)->trials(each.id);
    if (!trials) return trials.error();
    if (trials->empty()) continue;
    const std::string problem = each.study.problem.empty() ? "" : " " + each.study.problem.str();
    auto recording = recording_of(
        path.stem().string() + " " + each.study.kernel + problem + " on " + each.study.device.name,
        each.study, *std::move(trials));
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
      rank_by_median(trial, kernel.objective);
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

namespace {

// The latest time that the file names: "2023-01-26 01:05:09"; 0 if it names none.
std::int64_t latest_time_ms(const std::string& text) {
  constexpr std::string_view kName = "\"timestamp\"";
  std::string latest;
  for (std::size_t at = text.find(kName); at != text.npos; at = text.find(kName, at + 1)) {
    const std::size_t begin = text.find('"', at + kName.size());
    if (begin == text.npos) break;
    latest = std::max(latest, text.substr(begin + 1, 19));
  }
  std::tm parts{};
  if (std::sscanf(latest.c_str(), "%d-%d-%d%*c%d:%d:%d", &parts.tm_year, &parts.tm_mon, &parts.tm_mday,
                  &parts.tm_hour, &parts.tm_min, &parts.tm_sec) != 6)
    return 0;
  parts.tm_year -= 1900;
  parts.tm_mon -= 1;
  return std::int64_t{timegm(&parts)} * 1000;
}

Result<Recording> read_dated(const std::string& text, const std::string& path) {
  auto recording = read_recording_text(text, path);
  if (!recording) return recording;
  const std::int64_t time = latest_time_ms(text);
  for (Trial& trial : recording->trials) trial.started_unix_ms = trial.ended_unix_ms = time;
  return recording;
}

}  // namespace

Result<Merged> import_recording(const std::filesystem::path& database, const std::filesystem::path& file) {
  auto text = read_text_file(file);
  if (!text) return text.error();
  auto recording = read_dated(*text, file.string());
  if (!recording) return recording.error();
  auto store = Database::open(database, Database::Access::write);
  if (!store) return store.error();
  for (Trial& trial : recording->trials) rank_by_median(trial, objective_from_text(recording->objective));
  const Study study{recording->kernel,  "recorded",   {"replay", recording->device.name, "", 0},
                    recording->problem, Regime::cold, recording->objective};
  const Session session{std::string(kVersion), "", "gktune db import " + recording->name, {}};
  return (*store)->add_recording("recording " + content_key(*text), session, study, *text,
                                 recording->trials);
}

Result<std::string> export_cache(const std::filesystem::path& database, std::int64_t study) {
  auto store = Database::open(database, Database::Access::read);
  if (!store) return store.error();
  auto summary = (*store)->study(study);
  if (!summary) return summary.error();
  if (!*summary) return Error{"there is no study " + std::to_string(study)};
  auto trials = (*store)->trials(study);
  if (!trials) return trials.error();
  if (trials->empty()) return Error{"the study has no trials"};
  auto recording = recording_of((*summary)->study.kernel, (*summary)->study, *std::move(trials));
  if (!recording) return Error{"study " + std::to_string(study) + ": " + recording.error().message};
  return write_cache(*recording);
}

}  // namespace gktune

#include "engine/import/recordings.h"

#include <algorithm>
#include <string>
#include <utility>

#include "db/store/sqlite_store.h"
#include "tuner/core/whole_file.h"
#include "tuner/recording/recording_file.h"

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
  auto store = open_sqlite_store(path, StoreAccess::read);
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

}  // namespace

Result<std::vector<Recording>> read_recordings(const std::filesystem::path& path) {
  if (is_database(path)) return read_database(path);
  auto recording = read_recording(path);
  if (!recording) return recording.error();
  std::vector<Recording> recordings;
  recordings.push_back(*std::move(recording));
  return recordings;
}

}  // namespace gktune

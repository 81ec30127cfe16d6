#include <algorithm>
#include <cstdio>
#include <ctime>

#include "db/database.h"
#include "engine/import/recordings.h"
#include "tuner/core/version.h"
#include "tuner/recording/recording.h"
#include "tuner/space/content_key.h"

namespace gktune {
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

}  // namespace

Result<Merged> import_recording(const std::filesystem::path& database, const std::filesystem::path& file) {
  auto text = read_text_file(file);
  if (!text) return text.error();
  auto read = read_with_extras(*text, file.string());
  if (!read) return read.error();
  auto store = Database::open(database, Database::Access::write);
  if (!store) return store.error();
  const std::int64_t time = latest_time_ms(*text);
  Recording& recording = read->recording;
  for (std::size_t i = 0; i < recording.trials.size(); ++i) {
    recording.trials[i].started_unix_ms = recording.trials[i].ended_unix_ms = time;
    recording.trials[i].recorded = read->extras.trials[i];
  }
  const Study study{recording.kernel,  "recorded",   {"replay", recording.device.name, "", 0},
                    recording.problem, Regime::cold, recording.objective};
  const Session session{std::string(kVersion), "", "gktune db import " + recording.name, {}};
  return (*store)->add_recording("recording " + content_key(*text), session, study, read->extras.file,
                                 recording.trials);
}

Result<std::string> export_recording(const std::filesystem::path& database, std::int64_t study,
                                     RecordingFormat format) {
  auto store = Database::open(database, Database::Access::read);
  if (!store) return store.error();
  auto summary = (*store)->study(study);
  if (!summary) return summary.error();
  if (!*summary) return Error{"there is no study " + std::to_string(study)};
  auto trials = (*store)->trials(study);
  if (!trials) return trials.error();
  auto recorded = (*store)->recorded(study);
  if (!recorded) return recorded.error();

  const Study& identity = (*summary)->study;
  Recording recording;
  recording.name = recording.kernel = identity.kernel;
  recording.device.name = identity.device.name;
  recording.problem = identity.problem;
  recording.objective = identity.objective;
  RecordingExtras extras{*recorded, {}};
  for (Trial& trial : *trials) {
    extras.trials.push_back(trial.recorded);
    recording.keys.push_back(trial.config.json());
    recording.trials.push_back(std::move(trial));
  }
  if (recording.trials.empty()) return Error{"the study has no trials"};
  for (const auto& [name, value] : recording.trials.front().config)
    recording.parameters.push_back({.name = name});
  auto completed = complete(std::move(recording));
  if (!completed) return Error{"study " + std::to_string(study) + ": " + completed.error().message};
  return write_recording(*completed, extras, format);
}

}  // namespace gktune

#include <array>
#include <cstdio>
#include <ctime>
#include <nlohmann/json.hpp>
#include <sstream>

#include "db/store/archive.h"
#include "db/store/sqlite_store.h"
#include "engine/import/recordings.h"
#include "tuner/core/version.h"
#include "tuner/recording/recording.h"
#include "tuner/space/content_key.h"

namespace gktune {
namespace {

using RecordJson = nlohmann::json;

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

RecordJson values_json(const NamedValues& values) { return RecordJson::parse(values.json()); }

RecordJson extras_json(const std::string& extras) {
  return extras.empty() ? RecordJson() : RecordJson::parse(extras);
}

RecordJson trial_json(const Trial& trial) {
  const bool is_timed = !trial.samples_us.empty();
  const auto timed = [&](double time) { return is_timed ? RecordJson(time) : RecordJson(); };
  const Timing& timing = trial.timing;
  RecordJson record = {{"type", "trial"},
                       {"study", 1},
                       {"config", values_json(trial.config)},
                       {"status", status_name(trial.status)},
                       {"message", trial.message},
                       {"objective", trial.ok() ? RecordJson(trial.objective) : RecordJson()},
                       {"is_dropped_early", 0},
                       {"median_us", timed(timing.median_us)},
                       {"low_us", timed(timing.low_us)},
                       {"high_us", timed(timing.high_us)},
                       {"min_us", timed(timing.min_us)},
                       {"mean_us", timed(timing.mean_us)},
                       {"deviation_us", timed(timing.deviation_us)},
                       {"metrics", values_json(trial.metrics)},
                       {"throttled", 0},
                       {"compile_s", trial.compile_s},
                       {"run_s", trial.run_s},
                       {"samples", trial.samples_us}};
  for (const char* name : {"registers", "spill_bytes", "static_shared_bytes", "dynamic_shared_bytes",
                           "occupancy", "clock_mhz", "temperature_c", "power_w", "energy_j"})
    record[name] = RecordJson();
  for (const char* name : {"grid_x", "grid_y", "grid_z", "block_x", "block_y", "block_z"}) record[name] = 0;
  return record;
}

// The recording as the lines of docs/exchange.md.
std::string lines_of(const RecordingWithExtras& read, const std::string& text) {
  const Recording& recording = read.recording;
  const std::string uuid = "recording " + content_key(text);
  const std::int64_t time = latest_time_ms(text);
  std::ostringstream lines;
  lines << RecordJson{{"type", "gktune"}, {"version", 1}} << '\n'
        << RecordJson{{"type", "session"},
                      {"uuid", uuid},
                      {"tool_version", std::string(kVersion)},
                      {"host_name", ""},
                      {"driver", ""},
                      {"runtime", ""},
                      {"compiler", ""},
                      {"figures", nullptr},
                      {"command_line", "gktune db import " + recording.name},
                      {"begun_ms", time},
                      {"ended_ms", time}}
        << '\n'
        << RecordJson{{"type", "study"},
                      {"study", 1},
                      {"kernel", recording.kernel},
                      {"fingerprint", "recorded"},
                      {"device",
                       {{"kind", "replay"},
                        {"name", recording.device.name},
                        {"architecture", ""},
                        {"multiprocessors", 0}}},
                      {"problem", values_json(recording.problem)},
                      {"regime", "cold"},
                      {"objective", recording.objective},
                      {"recorded", extras_json(read.extras.file)}}
        << '\n';
  for (std::size_t i = 0; i < recording.trials.size(); ++i) {
    RecordJson record = trial_json(recording.trials[i]);
    record["session"] = uuid;
    record["number"] = i + 1;
    record["started_ms"] = record["ended_ms"] = time;
    record["recorded"] = extras_json(read.extras.trials[i]);
    lines << record.dump(-1, ' ', false, RecordJson::error_handler_t::replace) << '\n';
  }
  return lines.str();
}

}  // namespace

Result<Merged> import_recording(const std::filesystem::path& database, const std::filesystem::path& file) {
  auto text = read_text_file(file);
  if (!text) return text.error();
  if (begins_lines(std::string_view(*text).substr(0, text->find('\n')))) {  // they were compressed
    std::istringstream lines(*std::move(text));
    return import_lines(database, lines, file.string());
  }
  auto read = read_with_extras(*text, file.string());
  if (!read) return read.error();
  std::istringstream lines(lines_of(*read, *text));
  return import_lines(database, lines, file.string());
}

Result<std::string> export_recording(const std::filesystem::path& database, std::int64_t study,
                                     RecordingFormat format) {
  auto store = open_sqlite_store(database, StoreAccess::read);
  if (!store) return store.error();
  auto summary = (*store)->study(study);
  if (!summary) return summary.error();
  if (!*summary) return Error{"there is no study " + std::to_string(study)};
  auto trials = (*store)->trials(study);
  if (!trials) return trials.error();
  auto archive = Archive::open(database);
  if (!archive) return archive.error();
  auto recorded = archive->recorded(study);
  if (!recorded) return recorded.error();

  const Study& identity = (*summary)->study;
  Recording recording;
  recording.name = recording.kernel = identity.kernel;
  recording.device.name = identity.device.name;
  recording.problem = identity.problem;
  recording.objective = identity.objective;
  RecordingExtras extras{recorded->study, {}};
  for (Trial& trial : *trials) {
    const auto own = recorded->trials.find(trial.id);
    extras.trials.push_back(own == recorded->trials.end() ? "" : own->second);
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

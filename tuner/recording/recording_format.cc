#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "tuner/core/text.h"
#include "tuner/core/value_json.h"
#include "tuner/recording/kernel_tuner.h"
#include "tuner/recording/recording.h"

namespace gktune {
namespace {

constexpr double kUsInMs = 1e-3, kMsInS = 1e3;

RecordedJson times_ms(const Trial& trial) {
  RecordedJson times = RecordedJson::array();
  for (const double time : trial.samples_us) times.push_back(time * kUsInMs);
  return times;
}

// "2026-05-31 17:20:00.123000+00:00"
std::string timestamp_of(std::int64_t unix_ms) {
  const std::time_t seconds = unix_ms / 1000;
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  std::array<char, 80> text{};
  const std::size_t length = std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S", &parts);
  std::snprintf(text.data() + length, text.size() - length, ".%03d000+00:00",
                static_cast<int>(unix_ms % 1000));
  return text.data();
}

const char* failure_name(Status status) {
  if (status == Status::invalid) return "InvalidConfig";
  if (status == Status::compile_failed || status == Status::compile_timed_out)
    return "CompilationFailedConfig";
  return "RuntimeFailedConfig";
}

// The metrics that are numbers or texts: the formats have no place for others.
NamedValues known_metrics(const Trial& trial) {
  NamedValues known;
  for (const auto& [name, value] : trial.metrics) {
    if (!value.is_number() || std::isfinite(value.number())) known.set(name, value);
  }
  return known;
}

RecordedJson cache_record(const Trial& trial) {
  RecordedJson record;
  for (const auto& [name, value] : trial.config) record[name] = value_json<RecordedJson>(value);
  if (trial.ok()) {
    record["time"] = trial.objective > 0 ? trial.objective * kUsInMs : trial.timing.median_us * kUsInMs;
    record["times"] = times_ms(trial);
  } else {
    record["time"] = failure_name(trial.status);
  }
  for (const auto& [name, value] : known_metrics(trial)) {
    if (!record.contains(name)) record[name] = value_json<RecordedJson>(value);
  }
  record["compile_time"] = trial.compile_s * kMsInS;
  record["verification_time"] = 0;
  record["benchmark_time"] = trial.run_s * kMsInS;
  record["strategy_time"] = 0;
  record["framework_time"] = 0;
  record["timestamp"] = timestamp_of(trial.ended_unix_ms);
  return record;
}

RecordedJson problem_size(const Problem& problem) {
  if (problem.size() == 1) return value_json<RecordedJson>(problem.value(0));
  return joined(problem, ",", [](const auto& axis) { return axis.first + "=" + axis.second.str(); });
}

const char* invalidity_of(Status status) {
  switch (status) {
    case Status::ok:
      return "correct";
    case Status::invalid:
      return "constraints";
    case Status::compile_failed:
    case Status::compile_timed_out:
      return "compile";
    case Status::timed_out:
      return "timeout";
    case Status::wrong_result:
      return "correctness";
    default:
      return "runtime";
  }
}

RecordedJson t4_record(const Trial& trial) {
  RecordedJson record = {
      {"configuration", RecordedJson::object()},   {"objectives", {"time"}},
      {"times", RecordedJson::object()},           {"timestamp", timestamp_of(trial.ended_unix_ms)},
      {"invalidity", invalidity_of(trial.status)}, {"correctness", trial.ok() ? 1 : 0},
      {"measurements", RecordedJson::array()}};
  for (const auto& [name, value] : trial.config)
    record["configuration"][name] = value_json<RecordedJson>(value);
  record["times"] = {{"compilation", trial.compile_s * kMsInS},
                     {"runtimes", times_ms(trial)},
                     {"framework", 0},
                     {"search_algorithm", 0},
                     {"validation", 0}};
  if (trial.ok()) {
    const double time = trial.objective > 0 ? trial.objective * kUsInMs : trial.timing.median_us * kUsInMs;
    record["measurements"].push_back({{"name", "time"}, {"value", time}, {"unit", "ms"}});
    for (const auto& [name, value] : known_metrics(trial))
      record["measurements"].push_back(
          {{"name", name}, {"value", value_json<RecordedJson>(value)}, {"unit", ""}});
  }
  return record;
}

// The name of a configuration in a cache file: its values in the order of the parameters.
std::string key_of_config(const Recording& recording, const Config& config) {
  return joined(recording.parameters, ",",
                [&](const Parameter& parameter) { return config.find(parameter.name)->str(); });
}

// A recording in the formats of kernel_tuner.h. Equal to the file that was read but for the fields that a
// Recording has no place for.
RecordedJson write_cache(const Recording& recording) {
  RecordedJson file = {{"schema_version", "1.1.0"},
                       {"device_name", recording.device.name},
                       {"kernel_name", recording.kernel},
                       {"problem_size", problem_size(recording.problem)},
                       {"tune_params_keys", RecordedJson::array()},
                       {"tune_params", RecordedJson::object()},
                       {"objective", "time"},
                       {"cache", RecordedJson::object()}};
  for (const Parameter& parameter : recording.parameters) {
    file["tune_params_keys"].push_back(parameter.name);
    RecordedJson& values = file["tune_params"][parameter.name] = RecordedJson::array();
    for (const Value& value : parameter.values) values.push_back(value_json<RecordedJson>(value));
  }
  for (const Trial& trial : recording.trials) {
    file["cache"][key_of_config(recording, trial.config)] = cache_record(trial);
  }
  return file;
}

RecordedJson write_t4(const Recording& recording) {
  RecordedJson file = {{"schema_version", "1.0.0"}, {"results", RecordedJson::array()}};
  for (const Trial& trial : recording.trials) file["results"].push_back(t4_record(trial));
  return file;
}

const char* name_of_format(RecordingFormat format) {
  return format == RecordingFormat::kernel_tuner ? "kernel_tuner" : "t4";
}

const char* trials_of(RecordingFormat format) {
  return format == RecordingFormat::kernel_tuner ? "cache" : "results";
}

RecordedJson written(const Recording& recording, RecordingFormat format) {
  return format == RecordingFormat::kernel_tuner ? write_cache(recording) : write_t4(recording);
}

// The changes that make `to` of `from`; empty if there are none.
std::string difference(const RecordedJson& from, const RecordedJson& to, RecordingFormat format,
                       const std::string& key = "") {
  const RecordedJson patch = RecordedJson::diff(from, to);
  RecordedJson extras = {{"format", name_of_format(format)}, {"patch", patch}};
  if (!key.empty()) extras["key"] = key;
  return patch.empty() && key.empty() ? std::string() : extras.dump();
}

// Applies stored changes; leaves out those of another format and damaged ones.
RecordedJson changed(const RecordedJson& json, const std::string& extras, RecordingFormat format,
                     std::string* key = nullptr) {
  const RecordedJson parsed = RecordedJson::parse(extras, nullptr, false);
  if (!parsed.is_object() || parsed.value("format", "") != name_of_format(format)) return json;
  try {
    if (key != nullptr && parsed.contains("key")) *key = parsed["key"].get<std::string>();
    return json.patch(parsed.at("patch"));
  } catch (const RecordedJson::exception&) {
    return json;
  }
}

// The trials of a file by their place in the recording.
std::vector<std::pair<std::string, RecordedJson>> split(RecordedJson& file, RecordingFormat format) {
  std::vector<std::pair<std::string, RecordedJson>> trials;
  for (auto& [key, record] : file[trials_of(format)].items()) trials.emplace_back(key, std::move(record));
  file[trials_of(format)] =
      format == RecordingFormat::kernel_tuner ? RecordedJson::object() : RecordedJson::array();
  return trials;
}

// The recording as a database gives it back: names and values sorted.
Recording canonical(Recording recording) {
  std::ranges::sort(recording.parameters, {}, &Parameter::name);
  for (Parameter& parameter : recording.parameters) std::ranges::sort(parameter.values);
  for (Trial& trial : recording.trials) {
    Config sorted;
    for (const Parameter& parameter : recording.parameters)
      sorted.set(parameter.name, *trial.config.find(parameter.name));
    trial.config = std::move(sorted);
  }
  return recording;
}

// Kernel Tuner appends to its files: it expects the cache at their end, a configuration in each
// line, and two closing lines.
std::string cache_text(const RecordedJson& file) {
  std::string text = "{\n";
  for (const auto& [name, value] : file.items()) {
    if (name != "cache") text += RecordedJson(name).dump() + ": " + value.dump() + ",\n";
  }
  text += "\"cache\": {\n";
  const char* separator = "";
  for (const auto& [key, record] : file["cache"].items()) {
    text += separator + RecordedJson(key).dump() + ": " + record.dump();
    separator = ",\n";
  }
  return text + "\n}\n}";
}

}  // namespace

Result<RecordingWithExtras> read_with_extras(std::string_view text, const std::string& path) {
  auto recording = read_recording_text(text, path);
  if (!recording) return recording.error();
  RecordingWithExtras read{canonical(*std::move(recording)), {}};
  const Recording& known = read.recording;
  RecordedJson original = RecordedJson::parse(text, nullptr, false);
  if (original.is_discarded()) {  // of an interrupted run: read_recording_text() added its end
    read.extras.trials.resize(known.trials.size());
    return read;
  }
  const auto format = original.contains("cache") ? RecordingFormat::kernel_tuner : RecordingFormat::t4;
  RecordedJson ours = written(known, format);
  auto our_trials = split(ours, format);
  const auto their_trials = split(original, format);
  read.extras.file = difference(ours, original, format);
  for (std::size_t i = 0; i < known.trials.size(); ++i) {
    const RecordedJson* theirs = nullptr;
    std::string key;
    if (format == RecordingFormat::kernel_tuner) {
      const auto found = std::ranges::lower_bound(
          their_trials, known.keys[i], {}, [](const auto& each) -> const std::string& { return each.first; });
      theirs = &found->second;
      const std::string own = key_of_config(known, known.trials[i].config);
      if (own != known.keys[i]) key = known.keys[i];
      const auto of_ours = std::ranges::lower_bound(
          our_trials, own, {}, [](const auto& each) -> const std::string& { return each.first; });
      read.extras.trials.push_back(difference(of_ours->second, *theirs, format, key));
    } else if (their_trials.size() == known.trials.size()) {
      read.extras.trials.push_back(difference(our_trials[i].second, their_trials[i].second, format));
    } else {
      read.extras.trials.emplace_back();  // a configuration came twice
    }
  }
  return read;
}

std::string write_recording(const Recording& given, const RecordingExtras& extras, RecordingFormat format) {
  const Recording recording = canonical(given);
  RecordedJson file = written(recording, format);
  auto trials = split(file, format);
  if (!extras.file.empty()) file = changed(file, extras.file, format);
  RecordedJson& target = file[trials_of(format)];
  for (std::size_t i = 0; i < recording.trials.size(); ++i) {
    std::string key = key_of_config(recording, recording.trials[i].config);
    RecordedJson* record = &trials[i].second;
    if (format == RecordingFormat::kernel_tuner) {
      record = &std::ranges::lower_bound(trials, key, {}, [](const auto& each) -> const std::string& {
                  return each.first;
                })->second;
    }
    if (i < extras.trials.size() && !extras.trials[i].empty())
      *record = changed(*record, extras.trials[i], format, &key);
    if (format == RecordingFormat::kernel_tuner) {
      target[key] = std::move(*record);
    } else {
      target.push_back(std::move(*record));
    }
  }
  return format == RecordingFormat::kernel_tuner ? cache_text(file) : file.dump() + "\n";
}

}  // namespace gktune

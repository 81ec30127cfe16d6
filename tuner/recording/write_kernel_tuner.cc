#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

#include "tuner/core/text.h"
#include "tuner/core/value_json.h"
#include "tuner/recording/kernel_tuner.h"

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
  RecordedJson record = {{"configuration", RecordedJson::object()},
                         {"objectives", {"time"}},
                         {"times", RecordedJson::object()},
                         {"timestamp", timestamp_of(trial.ended_unix_ms)},
                         {"invalidity", invalidity_of(trial.status)},
                         {"correctness", trial.ok() ? 1 : 0},
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

}  // namespace

std::string key_of_config(const Recording& recording, const Config& config) {
  return joined(recording.parameters, ",",
                [&](const Parameter& parameter) { return config.find(parameter.name)->str(); });
}

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

}  // namespace gktune

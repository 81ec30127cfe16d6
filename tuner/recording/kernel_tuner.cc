#include "tuner/recording/kernel_tuner.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>

#include "tuner/core/text.h"
#include "tuner/measure/statistics.h"

namespace gktune {
namespace {

// The names that cache files and T4 files give to a status.
struct RecordedStatus {
  Status status;
  std::string_view in_cache, in_t4;
};
// Names that stand for several statuses are read as the first of these.
constexpr RecordedStatus kRecordedStatuses[] = {
    {Status::ok, "", "correct"},
    {Status::launch_failed, "RuntimeFailedConfig", "runtime"},
    {Status::invalid, "InvalidConfig", "constraints"},
    {Status::compile_failed, "CompilationFailedConfig", "compile"},
    {Status::compile_timed_out, "CompilationFailedConfig", "compile"},
    {Status::timed_out, "RuntimeFailedConfig", "timeout"},
    {Status::wrong_result, "RuntimeFailedConfig", "correctness"},
};

const RecordedJson* find(const RecordedJson& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

}  // namespace

std::string_view name_in_cache(Status status) {
  const auto known = std::ranges::find(kRecordedStatuses, status, &RecordedStatus::status);
  return known == std::end(kRecordedStatuses) ? kRecordedStatuses[1].in_cache : known->in_cache;
}

const RecordedJson& field(const RecordedJson& object, const char* name) {
  const RecordedJson* found = object.is_object() ? find(object, name) : nullptr;
  if (found == nullptr) throw BadFile{std::string("'") + name + "' is missing"};
  return *found;
}

std::string text_field(const RecordedJson& object, const char* name) {
  const RecordedJson* found = find(object, name);
  if (found == nullptr) return {};
  if (!found->is_string()) throw BadFile{std::string("'") + name + "' is not a text"};
  return found->get<std::string>();
}

std::optional<Value> plain_value(const RecordedJson& json) {
  if (json.is_boolean()) return Value(json.get<bool>());
  if (json.is_string()) return Value(json.get<std::string>());
  if (json.is_number_float()) return Value(json.get<double>());
  const bool is_too_large = json.is_number_unsigned() && json.get<std::uint64_t>() > INT64_MAX;
  if (!json.is_number_integer() || is_too_large) return std::nullopt;
  return Value(json.get<std::int64_t>());
}

namespace {

const RecordedJson& object_field(const RecordedJson& object, const char* name) {
  const RecordedJson& found = field(object, name);
  if (!found.is_object()) throw BadFile{std::string("'") + name + "' is not an object"};
  return found;
}

const RecordedJson& array_field(const RecordedJson& object, const char* name) {
  const RecordedJson& found = field(object, name);
  if (!found.is_array()) throw BadFile{std::string("'") + name + "' is not an array"};
  return found;
}

double amount_of(const RecordedJson& json, const char* name) {
  if (!json.is_number()) throw BadFile{std::string("'") + name + "' is not a number"};
  const double number = json.get<double>();
  if (std::isfinite(number) && number >= 0) return number;
  throw BadFile{std::string("'") + name + "' is " + json.dump() + ", not an amount"};
}

// A time or a count: finite and not negative. Missing or null: 0.
double amount(const RecordedJson& object, const char* name) {
  const RecordedJson* found = find(object, name);
  return found == nullptr ? 0 : amount_of(*found, name);
}

std::vector<double> amounts(const RecordedJson& object, const char* name) {
  std::vector<double> read;
  if (find(object, name) == nullptr) return read;
  for (const RecordedJson& each : array_field(object, name)) read.push_back(amount_of(each, name));
  return read;
}

Value value_of(const RecordedJson& json, const std::string& parameter) {
  if (auto value = plain_value(json)) return *std::move(value);
  if (json.is_number())
    throw BadFile{"the value " + json.dump() + " of '" + parameter + "' does not fit in 64 bits"};
  throw BadFile{"the value of '" + parameter + "' is neither a number nor a text, true or false"};
}

// Times in these files are in milliseconds.
constexpr double kUsPerMs = 1e3, kMsPerS = 1e3;
// In older cache files a configuration with a time from this on has failed.
constexpr double kFailedMs = 1e19;

double sum(const std::vector<double>& numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

// A measured configuration: the mean of its times, and single times where the file has them.
void set_times(Trial& trial, double time_ms, const std::vector<double>& times_ms) {
  if (time_ms <= 0) throw BadFile{"'time' is not positive"};
  for (const double time : times_ms) trial.samples_us.push_back(time * kUsPerMs);
  trial.objective = time_ms * kUsPerMs;
  if (trial.samples_us.empty()) trial.samples_us.push_back(trial.objective);
  trial.timing = summarize(trial.samples_us);
}

// The name that Kernel Tuner gives to a failure: as `__error__`, in older files in place of a time.
void set_failure(Trial& trial, const std::string& name) {
  const auto known = std::ranges::find(kRecordedStatuses, name, &RecordedStatus::in_cache);
  trial.status = known == std::end(kRecordedStatuses) ? Status::launch_failed : known->status;
  trial.message = name;
}

Trial read_cache_trial(const RecordedJson& record, const std::vector<Parameter>& parameters) {
  Trial trial;
  for (const Parameter& parameter : parameters)
    trial.config.set(parameter.name, value_of(field(record, parameter.name.c_str()), parameter.name));
  const std::vector<double> times_ms = amounts(record, "times");
  trial.compile_s = amount(record, "compile_time") / kMsPerS;
  trial.run_s =
      (sum(times_ms) + amount(record, "verification_time") + amount(record, "framework_time")) / kMsPerS;
  if (const std::string error = text_field(record, "__error__"); !error.empty()) {
    set_failure(trial, error);
  } else if (const RecordedJson& time = field(record, "time"); time.is_string()) {
    set_failure(trial, time.get<std::string>());
  } else if (const double time_ms = amount(record, "time"); time_ms >= kFailedMs) {
    set_failure(trial, "RuntimeFailedConfig");
  } else {
    set_times(trial, time_ms, times_ms);
  }
  return trial;
}

// 4096, "n=1024" and [4096, 4096] are the problem sizes of cache files.
Problem read_problem(const RecordedJson& file) {
  const auto size = file.find("problem_size");
  if (size == file.end() || size->is_null()) return {};
  if (!size->is_array()) return {{"problem_size", value_of(*size, "problem_size")}};
  return {{"problem_size", joined(*size, "x", [](const RecordedJson& each) {
             return value_of(each, "problem_size").str();
           })}};
}

// The measurement called "time", in milliseconds.
double t4_time_ms(const RecordedJson& result) {
  for (const RecordedJson& each : array_field(result, "measurements")) {
    if (text_field(each, "name") != "time") continue;
    field(each, "value");
    const double value = amount(each, "value");
    const std::string unit = text_field(each, "unit");
    if (unit.empty() || unit == "ms" || unit == "milliseconds") return value;
    if (unit == "s" || unit == "seconds") return value * kMsPerS;
    if (unit == "us" || unit == "microseconds") return value / kUsPerMs;
    if (unit == "ns" || unit == "nanoseconds") return value / kUsPerMs / 1e3;
    throw BadFile{"the unit of 'time' is '" + unit + "', not s, ms, us or ns"};
  }
  throw BadFile{"no measurement is called 'time'"};
}

// T4 files of different versions have two names for a time.
double t4_amount(const RecordedJson& times, const char* name, const char* other_name) {
  return times.contains(name) ? amount(times, name) : amount(times, other_name);
}

Trial read_t4_trial(const RecordedJson& result) {
  Trial trial;
  for (const auto& [name, value] : object_field(result, "configuration").items())
    trial.config.set(name, value_of(value, name));
  std::vector<double> times_ms;
  if (result.contains("times")) {
    const RecordedJson& times = object_field(result, "times");
    times_ms = amounts(times, "runtimes");
    trial.compile_s = t4_amount(times, "compilation", "compilation_time") / kMsPerS;
    trial.run_s = (sum(times_ms) + t4_amount(times, "validation", "validation_time") +
                   t4_amount(times, "framework", "framework_time")) /
                  kMsPerS;
  }
  field(result, "invalidity");
  const std::string invalidity = text_field(result, "invalidity");
  const auto known = std::ranges::find(kRecordedStatuses, invalidity, &RecordedStatus::in_t4);
  if (known == std::end(kRecordedStatuses))
    throw BadFile{"'invalidity' is '" + invalidity +
                  "', not correct, timeout, compile, runtime, correctness or constraints"};
  trial.status = known->status;
  if (trial.ok()) {
    set_times(trial, t4_time_ms(result), times_ms);
  } else {
    trial.message = invalidity;
  }
  return trial;
}

}  // namespace

Recording read_cache(const RecordedJson& file) {
  Recording recording;
  recording.kernel = text_field(file, "kernel_name");
  recording.device.name = text_field(file, "device_name");
  recording.problem = read_problem(file);
  const RecordedJson& values = object_field(file, "tune_params");
  for (const RecordedJson& key : array_field(file, "tune_params_keys")) {
    if (!key.is_string()) throw BadFile{"'tune_params_keys' has a name that is not a text"};
    Parameter parameter{.name = key.get<std::string>()};
    for (const RecordedJson& value : array_field(values, parameter.name.c_str()))
      parameter.values.push_back(value_of(value, parameter.name));
    recording.parameters.push_back(std::move(parameter));
  }
  for (const auto& [key, record] : object_field(file, "cache").items()) {
    try {
      recording.trials.push_back(read_cache_trial(record, recording.parameters));
    } catch (const BadFile& bad) {
      throw BadFile{"the configuration '" + key + "': " + bad.message};
    }
  }
  return recording;
}

Recording read_t4(const RecordedJson& file) {
  Recording recording;
  for (const RecordedJson& result : array_field(file, "results")) {
    try {
      recording.trials.push_back(read_t4_trial(result));
    } catch (const BadFile& bad) {
      throw BadFile{"result " + std::to_string(recording.trials.size() + 1) + ": " + bad.message};
    }
  }
  if (!recording.trials.empty()) {
    for (const auto& [name, value] : recording.trials.front().config)
      recording.parameters.push_back({.name = name});
  }
  return recording;
}

}  // namespace gktune

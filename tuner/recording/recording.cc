#include "tuner/recording/recording.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "tuner/core/fields_json.h"
#include "tuner/core/text.h"
#include "tuner/recording/kernel_tuner.h"

namespace gktune {
namespace {

// The listed values that occur, then the others that occur in ascending order.
void keep_occurring_values(Parameter& parameter, const std::vector<Trial>& trials) {
  std::set<Value> occurring;
  for (const Trial& trial : trials) occurring.insert(*trial.config.find(parameter.name));
  std::vector<Value> kept;
  for (Value& value : parameter.values) {
    if (occurring.erase(value) > 0) kept.push_back(std::move(value));
  }
  kept.insert(kept.end(), occurring.begin(), occurring.end());
  parameter.values = std::move(kept);
}

}  // namespace

Result<Recording> complete(Recording recording) {
  if (recording.trials.empty()) return Error{"no configuration is recorded"};
  for (Trial& trial : recording.trials) {
    for (const Parameter& parameter : recording.parameters) {
      if (trial.config.find(parameter.name) == nullptr)
        return Error{"configuration " + trial.config.str() + " has no value of '" + parameter.name + "'"};
    }
    if (trial.config.size() != recording.parameters.size())
      return Error{"configuration " + trial.config.str() + " has other parameters than the others"};
    trial.config = in_order_of(recording.parameters, trial.config);
    trial.problem = recording.problem;
  }

  std::set<std::string> seen;
  for (auto i = std::ssize(recording.trials); i-- > 0;) {
    const Config& config = recording.trials[static_cast<std::size_t>(i)].config;
    if (!seen.insert(config.json()).second) recording.trials.erase(recording.trials.begin() + i);
  }
  for (Parameter& parameter : recording.parameters) keep_occurring_values(parameter, recording.trials);
  return recording;
}

Space space_of(const Recording& recording) {
  std::vector<std::map<Value, std::uint32_t>> ranks;
  for (const Parameter& parameter : recording.parameters) {
    auto& of_values = ranks.emplace_back();
    for (const Value& value : parameter.values)
      of_values.emplace(value, static_cast<std::uint32_t>(of_values.size()));
  }
  std::vector<Space::Ranks> listed;
  for (const Trial& trial : recording.trials) {
    Space::Ranks& row = listed.emplace_back();
    for (std::size_t i = 0; i < ranks.size(); ++i) row.push_back(ranks[i].at(trial.config.value(i)));
  }
  return Space::of(recording.parameters, std::move(listed));
}

namespace {

constexpr unsigned kChunkBytes = 1u << 18;
// Text of a packed file: at most so many bytes, and so many for each that is stored.
constexpr std::size_t kLeastText = std::size_t{64} << 20, kMostPacking = 64;

// Kernel Tuner appends to a cache file while it tunes: the file of an interrupted run lacks its end.
std::string with_end(std::string_view text) {
  const std::size_t last = text.find_last_not_of(" \t\r\n,");
  return std::string(text.substr(0, last == std::string_view::npos ? 0 : last + 1)) + "}}";
}

RecordedJson parse(std::string_view text) {
  std::string reason;
  try {
    return RecordedJson::parse(text);
  } catch (const RecordedJson::exception& error) {
    reason = error.what();
  }
  try {
    RecordedJson file = RecordedJson::parse(with_end(text));
    if (file.is_object() && file.contains("cache")) return file;
  } catch (const RecordedJson::exception&) {
  }
  // Remove the library's "[json.exception.parse_error.101] ", which does not help users.
  if (const std::size_t end = reason.find("] "); end != std::string::npos) reason.erase(0, end + 2);
  if (text.find_first_not_of(" \t\r\n") == text.npos) throw BadFile{"it is empty"};
  throw BadFile{"it is not JSON: " + reason};
}

Recording read(std::string_view text) {
  const RecordedJson file = parse(text);
  if (file.is_object() && file.contains("cache")) return read_cache(file);
  if (file.is_object() && file.contains("results")) return read_t4(file);
  throw BadFile{"it has neither the 'cache' of a Kernel Tuner file nor the 'results' of a T4 file"};
}

std::string name_of(const std::filesystem::path& path) {
  std::filesystem::path name = path.filename();
  if (name.extension() == ".gz") name = name.stem();
  if (name.extension() == ".json") name = name.stem();
  return name.string();
}

}  // namespace

Result<std::string> read_text_file(const std::filesystem::path& path, std::size_t limit) {
  const std::string name = path.string();
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (std::filesystem::is_directory(status)) return Error{name + ": it is a folder, not a file"};
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    return Error{name + ": it is not a regular file"};
  // A small file does not unpack to gigabytes.
  if (const auto size = std::filesystem::file_size(path, error); !error)
    limit = std::min<std::size_t>(limit, kLeastText + kMostPacking * size);
  errno = 0;
  std::unique_ptr<gzFile_s, int (*)(gzFile)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) return Error{name + ": " + std::strerror(errno != 0 ? errno : ENOMEM)};
  gzbuffer(file.get(), kChunkBytes);

  std::string text;
  while (true) {
    const std::size_t size = text.size();
    if (size > limit) return Error{name + ": it has more than " + std::to_string(limit) + " bytes of text"};
    text.resize(size + kChunkBytes);
    const int count = gzread(file.get(), text.data() + size, kChunkBytes);
    text.resize(size + static_cast<std::size_t>(count > 0 ? count : 0));
    if (count >= 0 && static_cast<unsigned>(count) == kChunkBytes) continue;
    int code = Z_OK;
    const std::string reason = gzerror(file.get(), &code);
    if (code == Z_BUF_ERROR) return Error{name + ": the compressed data ends early"};
    if (code == Z_ERRNO) return Error{name + ": " + std::strerror(errno)};
    if (code != Z_OK) return Error{name + ": the compressed data is damaged"};
    if (count == 0) return text;
  }
}

Result<Recording> read_recording_text(std::string_view text, const std::filesystem::path& path) {
  std::optional<Recording> recording;
  try {
    recording = read(text);
  } catch (const BadFile& bad) {
    return Error{path.string() + ": " + bad.message};
  }
  recording->name = name_of(path);
  recording->device.kind = "replay";
  if (recording->device.name.empty()) recording->device.name = recording->name;
  if (recording->kernel.empty()) recording->kernel = recording->name;
  auto completed = complete(*std::move(recording));
  if (!completed) return Error{path.string() + ": " + completed.error().message};
  return completed;
}

Result<Recording> read_recording(const std::filesystem::path& path) {
  const auto text = GKTUNE_TRY(read_text_file(path));
  return read_recording_text(text, path);
}

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

double time_ms(const Trial& trial) {
  return (trial.objective > 0 ? trial.objective : trial.timing.median_us) * kUsInMs;
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
  RecordedJson record = values_json<RecordedJson>(trial.config);
  if (trial.ok()) {
    record["time"] = time_ms(trial);
    record["times"] = times_ms(trial);
  } else {
    record["time"] = name_in_cache(trial.status);
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

// The name of a configuration in a cache file: its values in the order of the parameters.
std::string key_of_config(const Recording& recording, const Config& config) {
  return joined(recording.parameters, ",",
                [&](const Parameter& parameter) { return config.find(parameter.name)->str(); });
}

// The file without its trials.
RecordedJson file_without_trials(const Recording& recording) {
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
  return file;
}

// Kernel Tuner appends to its files: it expects the cache at their end, a configuration in each
// line, and two closing lines.
std::string cache_text(const RecordedJson& file) {
  const auto line = [](const auto& item) {
    return RecordedJson(item.key()).dump() + ": " + item.value().dump();
  };
  std::string text = "{\n";
  for (const auto& item : file.items()) {
    if (item.key() != "cache") text += line(item) + ",\n";
  }
  return text + "\"cache\": {\n" + joined(file["cache"].items(), ",\n", line) + "\n}\n}";
}

}  // namespace

std::string write_cache(const Recording& recording) {
  RecordedJson file = file_without_trials(recording);
  for (const Trial& trial : recording.trials)
    file["cache"][key_of_config(recording, trial.config)] = cache_record(trial);
  return cache_text(file);
}

}  // namespace gktune

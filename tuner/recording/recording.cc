#include "tuner/recording/recording.h"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

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

  std::map<std::string, std::size_t> last;
  for (std::size_t i = 0; i < recording.trials.size(); ++i) last[recording.trials[i].config.json()] = i;
  if (last.size() < recording.trials.size()) {
    std::set<std::size_t> kept;
    for (const auto& [config, i] : last) kept.insert(i);
    std::vector<Trial> trials;
    std::vector<std::string> keys;
    for (const std::size_t i : kept) {
      trials.push_back(std::move(recording.trials[i]));
      keys.push_back(std::move(recording.keys[i]));
    }
    recording.trials = std::move(trials);
    recording.keys = std::move(keys);
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
  if (std::error_code error; std::filesystem::is_directory(path, error))
    return Error{name + ": it is a folder, not a file"};
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
  const auto text = read_text_file(path);
  if (!text) return text.error();
  return read_recording_text(*text, path);
}

}  // namespace gktune

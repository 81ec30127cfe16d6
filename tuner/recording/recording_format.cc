#include "tuner/recording/recording_format.h"

#include <algorithm>

#include "tuner/recording/kernel_tuner.h"
#include "tuner/recording/recording.h"

namespace gktune {
namespace {

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

#include "tuner/recording/recording_file.h"

#include <optional>
#include <utility>

#include "tuner/recording/kernel_tuner.h"
#include "tuner/recording/text_file.h"

namespace gktune {
namespace {

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
  if (text.find_first_not_of(" \t\r\n") == text.npos) throw BadRecording{"it is empty"};
  throw BadRecording{"it is not JSON: " + reason};
}

Recording read(std::string_view text) {
  const RecordedJson file = parse(text);
  if (file.is_object() && file.contains("cache")) return read_cache(file);
  if (file.is_object() && file.contains("results")) return read_t4(file);
  throw BadRecording{"it has neither the 'cache' of a Kernel Tuner file nor the 'results' of a T4 file"};
}

std::string name_of(const std::filesystem::path& path) {
  std::filesystem::path name = path.filename();
  if (name.extension() == ".gz") name = name.stem();
  if (name.extension() == ".json") name = name.stem();
  return name.string();
}

}  // namespace

Result<Recording> read_recording_text(std::string_view text, const std::filesystem::path& path) {
  std::optional<Recording> recording;
  try {
    recording = read(text);
  } catch (const BadRecording& bad) {
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

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "tuner/recording/kernel_tuner.h"

namespace gktune {
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

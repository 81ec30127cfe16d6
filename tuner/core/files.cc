#include "tuner/core/files.h"

#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <random>
#include <sstream>
#include <system_error>
#include <vector>

namespace gktune {

namespace fs = std::filesystem;

namespace {

// Each link on the way, and the file that the last one names.
std::vector<fs::path> way_to(fs::path path) {
  constexpr int kMostLinks = 40;  // as the system has it
  std::error_code error;
  std::vector<fs::path> way = {path};
  for (int i = 0; i < kMostLinks && fs::is_symlink(path, error); ++i) {
    path = path.parent_path() / fs::read_symlink(path, error);  // an absolute target replaces the folder
    way.push_back(path);
  }
  return way;
}

// True for a device, a pipe or an entry of /proc, which no file can replace. /dev/stdout is a link to such an
// entry.
bool is_written_directly(const fs::path& path) {
  const bool is_of_system = std::ranges::any_of(way_to(path), [](const fs::path& each) {
    std::error_code error;
    const fs::path folder = fs::absolute(each, error).lexically_normal().parent_path();
    return folder == "/dev" || folder == "/dev/fd" || folder.string().starts_with("/proc/");
  });
  std::error_code error;
  return is_of_system || (fs::exists(path, error) && !fs::is_regular_file(path, error));
}

Result<void> write_bytes(const fs::path& path, std::string_view bytes, const fs::path& named) {
  errno = 0;
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) return {};
  return Error{"cannot write " + named.string() + (errno == 0 ? "" : ": " + system_reason(errno))};
}

// Writes another file and renames it, so that a reader sees all of the file or nothing.
Result<void> replace_file(const fs::path& path, const fs::path& unfinished, std::string_view bytes,
                          const fs::path& named) {
  std::error_code error;
  Result<void> result = write_bytes(unfinished, bytes, named);
  if (result) fs::rename(unfinished, path, error);
  if (error) result = Error{"cannot write " + named.string() + ": " + system_reason(error.value())};
  if (!result) fs::remove(unfinished, error);
  return result;
}

}  // namespace

fs::path target_of(fs::path path) { return way_to(std::move(path)).back(); }

Result<void> check_output(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return Error{path.string() + " is a folder"};
  if (is_database(path)) return Error{path.string() + " is a database, which is not replaced"};
  return {};
}

Result<void> write_output(const fs::path& path, std::string_view bytes) {
  GKTUNE_TRY(check_output(path));
  if (is_written_directly(path)) return write_bytes(path, bytes, path);
  const fs::path target = target_of(path);
  return replace_file(target, unfinished_path(target), bytes, path);
}

Result<void> write_output(const fs::path& path, const std::function<Result<void>(std::ostream&)>& write) {
  std::ostringstream stream;
  Result<void> result = write(stream);
  return result ? write_output(path, stream.view()) : result;
}

std::string system_reason(int error) {
  std::string text = std::generic_category().message(error);
  rlimit limit{};
  if (error == EFBIG && ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY) {
    text += ": no file may exceed " + std::to_string(limit.rlim_cur) + " bytes (ulimit -f)";
  }
  return text;
}

Result<std::ifstream> open_regular(const fs::path& path) {
  std::error_code failure;
  const auto status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found) return Error{"there is no such file"};
  if (failure) return Error{failure.message()};
  if (status.type() == fs::file_type::directory) return Error{"it is a directory"};
  if (status.type() != fs::file_type::regular) return Error{"it is not a regular file"};
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{"it cannot be opened"};
  return file;
}

Result<std::string> read_whole(const fs::path& path, std::size_t most) {
  auto file = GKTUNE_TRY(open_regular(path));
  std::string bytes;
  char buffer[1 << 16];
  while (file.read(buffer, sizeof buffer) || file.gcount() > 0) {
    bytes.append(buffer, static_cast<std::size_t>(file.gcount()));
    if (bytes.size() > most) return Error{"it has more than " + std::to_string(most) + " bytes"};
  }
  if (file.bad()) return Error{"it cannot be read"};
  return bytes;
}

bool is_database(const fs::path& path) {
  constexpr std::string_view kBegin = "SQLite format 3";
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::string begin(kBegin.size(), '\0');
  std::ifstream(path, std::ios::binary).read(begin.data(), std::ssize(begin));
  return begin == kBegin;
}

Result<void> write_atomically(const fs::path& path, std::string_view bytes, const fs::path& aside) {
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  return replace_file(path, unfinished_path(aside.empty() ? path : aside / path.filename()), bytes, path);
}

// "a.so" becomes "a.new5f0c….so", because a compiler looks at the extension. The number is random: process
// numbers repeat across machines and containers that share a folder.
fs::path unfinished_path(const fs::path& path) {
  std::random_device chance;
  std::ostringstream mark;
  mark << ".new" << std::hex << chance() << '-' << chance();
  fs::path unfinished = path;
  unfinished.replace_extension();
  unfinished += mark.str() + path.extension().string();
  return unfinished;
}

bool is_unfinished(const fs::path& path) { return path.stem().extension().string().starts_with(".new"); }

}  // namespace gktune

#include "tuner/core/whole_file.h"

#include <cerrno>
#include <fstream>
#include <random>
#include <sstream>

#include "tuner/core/system_error.h"

namespace gktune {

namespace fs = std::filesystem;

Result<std::string> read_whole(const fs::path& path, std::size_t most) {
  std::error_code failure;
  const auto status = fs::status(path, failure);
  if (status.type() == fs::file_type::not_found) return Error{"there is no such file"};
  if (failure) return Error{failure.message()};
  if (status.type() == fs::file_type::directory) return Error{"it is a directory"};
  if (status.type() != fs::file_type::regular) return Error{"it is not a regular file"};
  std::ifstream file(path, std::ios::binary);
  if (!file) return Error{"it cannot be opened"};
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
  const fs::path unfinished = unfinished_path(aside.empty() ? path : aside / path.filename());
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  errno = 0;
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) {
    fs::rename(unfinished, path, error);
  } else if (!error) {
    error.assign(errno, std::generic_category());
  }
  if (!file || error) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    return Error{"cannot write " + path.string() + (error ? ": " + system_reason(error.value()) : "")};
  }
  return {};
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

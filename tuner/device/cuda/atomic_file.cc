#include "tuner/device/cuda/atomic_file.h"

#include <unistd.h>

#include <fstream>
#include <sstream>

namespace gktune {

namespace fs = std::filesystem;

Result<void> write_atomically(const fs::path& path, std::string_view bytes) {
  const fs::path unfinished = path.string() + ".new" + std::to_string(getpid());
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  std::ofstream file(unfinished, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  if (file) fs::rename(unfinished, path, error);
  if (!file || error) {
    std::error_code ignored;
    fs::remove(unfinished, ignored);
    return Error{"cannot write " + path.string() + (error ? ": " + error.message() : "")};
  }
  return {};
}

std::optional<std::string> read_whole(const fs::path& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return std::nullopt;
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) return std::nullopt;
  return std::move(bytes).str();
}

}  // namespace gktune

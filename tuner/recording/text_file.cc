#include "tuner/recording/text_file.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace gktune {
namespace {

constexpr unsigned kChunkBytes = 1u << 18;

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

}  // namespace gktune

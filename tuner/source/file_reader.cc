#include "tuner/source/file_reader.h"

#include <filesystem>
#include <fstream>
#include <system_error>

namespace gktune {
namespace {

constexpr std::size_t kLargestSource = 16 << 20;

}  // namespace

Result<std::string> read_whole_file(const std::string& path) {
  std::error_code failure;
  const auto status = std::filesystem::status(path, failure);
  if (status.type() == std::filesystem::file_type::not_found) return Error{"there is no such file"};
  if (failure) return Error{failure.message()};
  if (status.type() == std::filesystem::file_type::directory) return Error{"it is a directory"};
  if (status.type() != std::filesystem::file_type::regular) return Error{"it is not a regular file"};
  std::ifstream stream(path, std::ios::binary);
  if (!stream) return Error{"it cannot be opened"};
  std::string text;
  char buffer[1 << 16];
  while (stream.read(buffer, sizeof buffer) || stream.gcount() > 0) {
    text.append(buffer, static_cast<std::size_t>(stream.gcount()));
    if (text.size() > kLargestSource)
      return Error{"it has more than " + std::to_string(kLargestSource) + " bytes"};
  }
  if (stream.bad()) return Error{"it cannot be read"};
  return text;
}

}  // namespace gktune

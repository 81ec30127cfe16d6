#include "tuner/source/file_reader.h"

#include "tuner/core/whole_file.h"

namespace gktune {

Result<std::string> read_whole_file(const std::string& path) {
  constexpr std::size_t kLargestSource = 16 << 20;
  return read_whole(path, kLargestSource);
}

}  // namespace gktune

#pragma once

#include <filesystem>
#include <string>

#include "tuner/core/result.h"

namespace gktune {

// The content of a file; gzip compression is undone. An error where it cannot be read, where compressed data
// is damaged or ends early, or where there are more than `limit` bytes.
Result<std::string> read_text_file(const std::filesystem::path& path,
                                   std::size_t limit = std::size_t{1} << 31);

}  // namespace gktune

#pragma once

#include <functional>
#include <string>

#include "gktune/result.h"

namespace gktune {

// Returns the text of the file at this path, or the reason why it cannot be read.
using FileReader = std::function<Result<std::string>(const std::string& path)>;

// A FileReader for regular files of at most 16 MiB.
Result<std::string> read_whole_file(const std::string& path);

}  // namespace gktune

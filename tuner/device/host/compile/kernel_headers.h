#pragma once

#include <span>
#include <string>

#include "tuner/core/embedded_file.h"
#include "tuner/core/result.h"

namespace gktune {

// The headers for kernels, embedded in the program, with their paths in #include <…>.
std::span<const EmbeddedFile> kernel_headers();

// Writes them below the folder, unless they are there already. Returns their folder.
Result<std::string> place_kernel_headers(const std::string& folder);

}  // namespace gktune

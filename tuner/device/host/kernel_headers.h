#pragma once

#include <span>
#include <string>

#include "tuner/core/embedded_file.h"
#include "tuner/core/result.h"

namespace gktune {

// The headers that kernels are compiled against travel inside the program: it runs from wherever it is.
// Their paths are as in #include <…>.
std::span<const EmbeddedFile> kernel_headers();

// Writes them below the folder, unless this very content is there already, and names the folder they lie in.
Result<std::string> place_kernel_headers(const std::string& folder);

}  // namespace gktune

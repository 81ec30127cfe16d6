#pragma once

#include <span>
#include <string>

#include "tuner/core/embedded_file.h"
#include "tuner/core/result.h"

namespace gktune {

// The headers for kernels, embedded in the program, with their paths in #include <…>.
std::span<const EmbeddedFile> kernel_headers();

// Writes those that are missing or damaged to a folder of their own below `folder`, each by way of a file in
// `scratch`. Reads all of them at each call. Returns their folder.
Result<std::string> place_kernel_headers(const std::string& folder, const std::string& scratch = {});

}  // namespace gktune

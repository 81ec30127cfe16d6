#pragma once

#include <filesystem>
#include <string>

#include "engine/import/import_space.h"

namespace gktune {

// A first space file for a CUDA source: the kernel that it launches first, or the named one, with the macros
// and constants that look like parameters, and what the host code says about sizes and launches. Comments say
// where it had to guess. `source` is the path for the space file to name.
Result<ImportedSpace> import_cuda_source(const std::string& text, const std::filesystem::path& path,
                                         const std::string& source, const std::string& kernel = {});

}  // namespace gktune

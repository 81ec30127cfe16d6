#pragma once

#include <filesystem>
#include <string>

#include "engine/import/import_space.h"

namespace gktune {

// Makes a first space file of a CUDA source, for `kernel` or, if it is empty, for the kernel that the source
// launches first. Macros and constants that look like parameters become parameters; sizes and launches come
// from the host code. Comments mark guesses. `source` is the path that the space file names.
Result<ImportedSpace> import_cuda_source(const std::string& text, const std::filesystem::path& path,
                                         const std::string& source, const std::string& kernel = {});

}  // namespace gktune

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "gktune/result.h"

namespace gktune {

// A space file that an import made.
struct ImportedSpace {
  std::string text;                // YAML
  std::vector<std::string> notes;  // the parts that the user has to add or check
};

struct SpaceImport {
  std::string kernel;            // which kernel of a CUDA source; empty: the first that the source launches
  std::filesystem::path folder;  // where the space file will lie
};

// Reads a CUDA source, a T1 space file (JSON), or the tuning comments of a CCCL benchmark
// (`// %RANGE% MACRO label low:high:step`).
Result<ImportedSpace> import_space(const std::filesystem::path& path, const SpaceImport& options = {});
// Imports the text of a file. The path gives names and appears in messages.
Result<ImportedSpace> import_space_text(const std::string& text, const std::filesystem::path& path,
                                        const SpaceImport& options = {});

// Makes a first space file of a CUDA source, for `kernel` or, if it is empty, for the kernel that the source
// launches first. Macros and constants that look like parameters become parameters; sizes and launches come
// from the launching code. Comments mark guesses. `source` is the path that the space file names.
Result<ImportedSpace> import_cuda_source(const std::string& text, const std::filesystem::path& path,
                                         const std::string& source, const std::string& kernel = {});

}  // namespace gktune

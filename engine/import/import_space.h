#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tuner/core/result.h"

namespace gktune {

// A space file made of a file of another program.
struct ImportedSpace {
  std::string text;                // YAML
  std::vector<std::string> notes;  // what could not be expressed, or has to be filled in
  std::vector<std::pair<std::string, std::string>> files;  // that belong beside it: name and text
};

struct SpaceImport {
  std::string kernel;            // of a CUDA source with several; empty: the first that it launches
  std::filesystem::path folder;  // where the space file will lie
};

// Reads a CUDA source, a Python script of Kernel Tuner, a T1 space file (JSON), or the tuning comments of a
// CCCL benchmark (`// %RANGE% MACRO label low:high:step`).
Result<ImportedSpace> import_space(const std::filesystem::path& path, const SpaceImport& options = {});
// The same of the text of a file; the path is for names and messages.
Result<ImportedSpace> import_space_text(const std::string& text, const std::filesystem::path& path,
                                        const SpaceImport& options = {});

}  // namespace gktune

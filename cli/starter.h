#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/space/definition.h"

namespace gktune {

// A file of the example that `gktune new` writes.
struct StarterFile {
  std::string name;
  std::string text;
};

// The kernel, its reference and its space file, renamed. Fails if `name` cannot be a kernel's name.
Result<std::vector<StarterFile>> starter_files(const std::string& name, Language language);

// Writes all of them or none, and creates the folder if needed. Overwrites nothing.
Result<void> write_starter(const std::filesystem::path& folder, const std::vector<StarterFile>& files);

}  // namespace gktune

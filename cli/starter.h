#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/space/definition.h"

namespace gktune {

// A kernel to start from: what `gktune new` writes.
struct StarterFile {
  std::string name;
  std::string text;
};

// The kernel, its reference and its space, under that name. An error: it cannot be the name of a function
// there.
Result<std::vector<StarterFile>> starter_files(const std::string& name, Language language);

// All of them or none; the folder is made where it is not there. No file is overwritten.
Result<void> write_starter(const std::filesystem::path& folder, const std::vector<StarterFile>& files);

}  // namespace gktune

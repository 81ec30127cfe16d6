#pragma once

#include <filesystem>
#include <string>

#include "engine/import/import_space.h"

namespace gktune {

// A space file for a script of Kernel Tuner that calls tune_kernel(). The script is read, never run: values
// are lists, ranges, comprehensions and numbers in them; restrictions are texts and lambdas.
Result<ImportedSpace> import_kernel_tuner_script(const std::string& text, const std::filesystem::path& path);

}  // namespace gktune

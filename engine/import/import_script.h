#pragma once

#include <filesystem>
#include <string>

#include "engine/import/import_space.h"

namespace gktune {

// Makes a space file of a Kernel Tuner script that calls tune_kernel(). Reads the script and never runs
// it: understands values that are lists, ranges and comprehensions of numbers, and restrictions that are
// texts, lambdas and functions.
Result<ImportedSpace> import_kernel_tuner_script(const std::string& text, const std::filesystem::path& path);

}  // namespace gktune

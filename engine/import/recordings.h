#pragma once

#include <filesystem>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/recording/recording.h"

namespace gktune {

// The recordings of a file, at least one: a database of gktune has one for each study with trials, any other
// file is one that `read_recording` reads.
Result<std::vector<Recording>> read_recordings(const std::filesystem::path& path);

}  // namespace gktune

#pragma once

#include <filesystem>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/recording/recording.h"

namespace gktune {

// Reads the recordings of a file, at least one. A gktune database has one for each study with trials; any
// other file is read by `read_recording`.
Result<std::vector<Recording>> read_recordings(const std::filesystem::path& path);

}  // namespace gktune

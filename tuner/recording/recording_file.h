#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "tuner/core/result.h"
#include "tuner/recording/recording.h"

namespace gktune {

// Reads a cache file of Kernel Tuner or results in the T4 format: JSON, plain or compressed with gzip.
Result<Recording> read_recording(const std::filesystem::path& path);
// Reads the text of a file. The path gives names and appears in messages.
Result<Recording> read_recording_text(std::string_view text, const std::filesystem::path& path);

}  // namespace gktune

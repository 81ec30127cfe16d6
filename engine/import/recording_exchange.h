#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "db/exchange/exchange.h"
#include "tuner/core/result.h"
#include "tuner/recording/recording_format.h"

namespace gktune {

// Adds a cache file of Kernel Tuner, a T4 file, or compressed lines of docs/exchange.md to a database. Adding
// the same file again changes nothing.
Result<Merged> import_recording(const std::filesystem::path& database, const std::filesystem::path& file);

// Writes a study in one of these formats. An imported study gives the values of its file unchanged.
Result<std::string> export_recording(const std::filesystem::path& database, std::int64_t study,
                                     RecordingFormat format);

}  // namespace gktune

#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "db/exchange/exchange.h"
#include "tuner/core/result.h"
#include "tuner/recording/recording_format.h"

namespace gktune {

// Adds a cache file of Kernel Tuner or results in the T4 format to a database. The same file may come again.
Result<Merged> import_recording(const std::filesystem::path& database, const std::filesystem::path& file);

// The text of a study in such a format. A study that was imported gives its file back, value for value.
Result<std::string> export_recording(const std::filesystem::path& database, std::int64_t study,
                                     RecordingFormat format);

}  // namespace gktune

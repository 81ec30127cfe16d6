#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "db/database.h"
#include "engine/devices.h"
#include "gktune/result.h"
#include "tuner/device/replay/replay_device.h"
#include "tuner/recording/recording.h"
#include "tuner/space/definition.h"

namespace gktune {

// Reads the recordings of a file, at least one. A gktune database has one for each study with trials; any
// other file is read by `read_recording`.
Result<std::vector<Recording>> read_recordings(const std::filesystem::path& path);

// The definition of a space with the configurations and the problem of a recording.
Definition definition_of(const Recording& recording, const std::string& path);

// Replays the recorded trials of this kernel. A file with a single recording serves any kernel. A recording
// whose problem has other axes than the kernel serves every problem.
Result<std::unique_ptr<ReplayDevice>, EngineError> open_replay(const KernelDefinition& kernel,
                                                               const FoundDevice& found);

// Adds a cache file of Kernel Tuner, a T4 file, or compressed lines of docs/exchange.md to a database. Adding
// the same file again changes nothing.
Result<Merged> import_recording(const std::filesystem::path& database, const std::filesystem::path& file);

// Writes a study as a cache file of Kernel Tuner.
Result<std::string> export_cache(const std::filesystem::path& database, std::int64_t study);

}  // namespace gktune

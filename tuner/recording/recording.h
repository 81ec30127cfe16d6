#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/device_info.h"
#include "tuner/core/trial.h"
#include "tuner/space/solver/parameter.h"
#include "tuner/space/solver/space.h"

namespace gktune {

// A tuning that was carried out before: the trials of one kernel on one device and problem.
struct Recording {
  std::string name;  // for tables: the name of the file without its endings
  std::string kernel;
  DeviceInfo device;
  Problem problem;
  std::string objective = "time";     // as the studies of a database have it
  std::vector<Parameter> parameters;  // with the values that occur, in the order of the file
  std::vector<Trial> trials;          // each configuration once
};

// The cost of a trial: compilation, check and timing.
inline double cost_s(const Trial& trial) { return trial.compile_s + trial.run_s; }

// Completes a recording whose trials are read: of a configuration with several trials the last one counts,
// every trial has the recording's problem, and parameters have the values that occur. `parameters` arrives
// with the values in the order that the file has for them; values that it does not list follow. An error
// where there are no trials, or trials with different parameters.
Result<Recording> complete(Recording recording);

// The recorded configurations: a search needs no space file.
Space space_of(const Recording& recording);

// Reads a cache file of Kernel Tuner or results in the T4 format: JSON, plain or compressed with gzip.
Result<Recording> read_recording(const std::filesystem::path& path);
// Reads the text of a file. The path gives names and appears in messages.
Result<Recording> read_recording_text(std::string_view text, const std::filesystem::path& path);

// The content of a file; gzip compression is undone. An error where it cannot be read, where compressed data
// is damaged or ends early, or where there are more than `limit` bytes.
Result<std::string> read_text_file(const std::filesystem::path& path,
                                   std::size_t limit = std::size_t{1} << 31);

// The text of a cache file of Kernel Tuner.
std::string write_cache(const Recording& recording);

}  // namespace gktune

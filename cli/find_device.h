#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/device_choice.h"
#include "tuner/core/device_info.h"
#include "tuner/core/result.h"
#include "tuner/device/worker/worker_device.h"
#include "tuner/space/definition.h"

namespace gktune {

// The flags of what runs on a device, or needs to know one.
struct DeviceFlags {
  DeviceChoice choice;
  std::int64_t jobs = 0;  // compile workers; 0: one a core
  std::int64_t seed = 0;
  std::string cache_dir;
};

// What a choice came down to.
struct FoundDevice {
  std::vector<BackendName> backends;  // one, but for cuda:all
  DeviceInfo info;
};
Result<FoundDevice> find_device(const DeviceChoice& choice, const Context& context);

// How this program starts its workers.
std::vector<std::string> worker_argv(const Context& context);

// What to do with a kernel on it: by default to compile, check and time it. Fails where compiled code cannot
// be kept.
Result<WorkerDeviceOptions> device_options(const FoundDevice& found, const DeviceFlags& flags,
                                           const Context& context);

// Space files, read for the device that they are meant for.
struct ReadFiles {
  FoundDevice device;
  std::vector<Definition> definitions;
};
// What is for the chosen device first, then the C++ functions: they run on the CPU, whatever else there is.
// Never empty. Says what is wrong, and returns the code to end with.
Result<std::vector<ReadFiles>, ExitCode> read_files(const std::vector<std::string>& paths,
                                                    const DeviceChoice& choice, Context& context);
// The same of one file.
Result<ReadFiles, ExitCode> read_file(const std::string& path, const DeviceChoice& choice, Context& context);

}  // namespace gktune

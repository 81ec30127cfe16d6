#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "cli/context.h"
#include "cli/output/table.h"
#include "engine/device_choice.h"
#include "engine/devices.h"
#include "engine/spaces.h"
#include "gktune/result.h"

namespace gktune {

// The flags of commands that use a device.
struct DeviceFlags {
  DeviceChoice choice;
  std::int64_t jobs = 0;  // compile workers; 0: one a core
  std::int64_t seed = 0;
  std::string cache_dir;
  bool allows_unsafe_options = false;
};

// Starts a worker process of this program.
std::vector<std::string> worker_argv(const Context& context);
UnsafeOptions unsafe_options(const DeviceFlags& flags);
WorkerSettings worker_settings(const DeviceFlags& flags, const Context& context);

// Reads space files for the chosen device. Ends the command with the errors.
std::vector<OpenedSpaces> read_files(const std::vector<std::string>& paths, const DeviceChoice& choice,
                                     const DeviceFlags& flags, UnsafeOptions options, Context& context);
struct OpenedSpace {
  FoundDevice device;
  Definition definition;
};
OpenedSpace read_file(const std::string& path, const DeviceChoice& choice, const DeviceFlags& flags,
                      UnsafeOptions options, Context& context);

// Prints the error and a hint about the flag that helps, and returns the exit code.
ExitCode fail(Context& context, const EngineError& error);

// The device's properties as device queries name them. Unknown ones are left out.
Record describe(const DeviceInfo& device);

}  // namespace gktune

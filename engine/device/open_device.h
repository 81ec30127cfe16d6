#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/device/find_device.h"
#include "engine/engine_error.h"
#include "tuner/core/result.h"
#include "tuner/device/worker/worker_device.h"
#include "tuner/space/definition.h"

namespace gktune {

// The worker processes behind a device.
struct WorkerSettings {
  std::vector<std::string> argv;    // the command that starts one: {"gktune", "worker"}
  std::filesystem::path cache_dir;  // for compiled code
  std::int64_t jobs = 0;            // number of compile workers; 0: one for each core
  std::uint64_t seed = 0;
};

// The last step that a device takes with each candidate.
enum class DeviceWork { compile, check, sanitize, time };

// The number of compile workers: `jobs`, or the number of cores.
int compile_jobs(const WorkerSettings& settings);

Result<std::unique_ptr<WorkerDevice>, EngineError> open_device(const KernelDefinition& kernel,
                                                               const FoundDevice& found,
                                                               const WorkerSettings& settings,
                                                               DeviceWork work);

}  // namespace gktune

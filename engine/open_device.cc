#include "engine/open_device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "tuner/device/worker/cores.h"

namespace gktune {
namespace {

// A missing folder for compiled code makes every kernel fail to compile. Report it once, as no trial caused it.
Result<void, EngineError> make_cache(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    error.assign(errno, std::generic_category());
  if (!error) return {};
  return EngineError{EngineError::Kind::no_cache,
                     fmt::format("cannot write compiled code to {}: {}", folder.string(), error.message()),
                     {}};
}

}  // namespace

int compile_jobs(const WorkerSettings& settings) {
  if (settings.jobs == 0) return static_cast<int>(own_core_count());
  return static_cast<int>(std::min<std::int64_t>(settings.jobs, 1024));
}

Result<std::unique_ptr<WorkerDevice>, EngineError> open_device(const KernelDefinition& kernel,
                                                               const FoundDevice& found,
                                                               const WorkerSettings& settings,
                                                               DeviceWork work) {
  if (found.recordings) {
    return EngineError{
        EngineError::Kind::wrong_device, "a recording can only be searched: nothing runs on it", {}};
  }
  using While = WorkerDeviceOptions::CompileWhileTiming;
  using Work = WorkerDeviceOptions::Work;
  if (auto made = make_cache(settings.cache_dir); !made) return made.error();
  WorkerDeviceOptions options;
  options.backends = found.backends;
  options.worker_argv = settings.argv;
  options.seed = settings.seed;
  options.jobs = compile_jobs(settings);
  options.compile_while_timing = found.info.kind == "host" ? While::no : While::yes;
  options.fault_telling_s = 2;  // a GPU's driver looks at the damage first, a CPU's thread for its line
  options.cache_dir = settings.cache_dir.string();
  switch (work) {
    case DeviceWork::compile:
      options.work = Work::compile;
      break;
    case DeviceWork::check:
      options.work = Work::check;
      break;
    case DeviceWork::sanitize:
      options.work = Work::check;
      options.instrumentation = Instrumentation::sanitize;
      break;
    case DeviceWork::time:
      options.work = Work::time;
      break;
  }
  auto device = WorkerDevice::open(kernel, std::move(options));
  if (!device) return EngineError{EngineError::Kind::no_device, device.error().message, {}};
  return *std::move(device);
}

}  // namespace gktune

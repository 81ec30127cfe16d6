#include "engine/device/open_device.h"

#include <algorithm>
#include <utility>

#include "tuner/core/device_kinds.h"
#include "tuner/device/worker/cores.h"
#include "tuner/device/worker/private_folder.h"

namespace gktune {
namespace {

// Compilers on all cores would delay this process and its run workers, which then make the device wait.
int jobs_while_waiting() {
  const unsigned cores = own_core_count();
  return static_cast<int>(std::max(1u, cores - cores / 4));
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
    return EngineError{EngineError::Kind::wrong_device,
                       "a recording can only be searched: no code is compiled for it or runs on it",
                       {}};
  }
  using While = WorkerDeviceOptions::CompileWhileTiming;
  using Work = WorkerDeviceOptions::Work;
  // Without a place for compiled code every kernel fails to compile, and no trial is to blame for it.
  auto cache = make_private_folder(settings.cache_dir);
  if (!cache) return EngineError{EngineError::Kind::no_cache, cache.error().message, {}};
  WorkerDeviceOptions options;
  options.backends = found.backends;
  options.info = found.info;
  options.worker_argv = settings.argv;
  options.seed = settings.seed;
  options.jobs = compile_jobs(settings);
  options.jobs_while_waiting = jobs_while_waiting();
  options.compile_while_timing = found.info.kind == "host" ? While::no : While::yes;
  options.sends_ahead = is_gpu(found.info.kind);
  options.fault_telling_s = 2;  // a GPU's driver looks at the damage first, a CPU's thread for its line
  options.cache_dir = cache->string();
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
  auto folder = RunFolder::make(*cache);
  if (!folder) return EngineError{EngineError::Kind::no_cache, folder.error().message, {}};
  auto device = WorkerDevice::open(kernel, std::move(options), *std::move(folder));
  if (!device) return EngineError{EngineError::Kind::no_device, device.error().message, {}};
  return *std::move(device);
}

}  // namespace gktune

#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/device/device_cache.h"
#include "engine/device/device_choice.h"
#include "tuner/core/device_info.h"
#include "tuner/core/result.h"
#include "tuner/device/worker/worker_device.h"
#include "tuner/recording/recording.h"

namespace gktune {

// A decision that the user may want to know: a GPU that is left out, a fallback to the host. May be empty.
using Notice = std::function<void(const std::string&)>;

// The device that a choice stands for.
struct FoundDevice {
  std::vector<BackendName> backends;  // several only for all GPUs of a kind, none for a recording
  DeviceInfo info;
  std::shared_ptr<const std::vector<Recording>> recordings = nullptr;  // to replay
  DeviceCache cache = {};                                              // that may know these backends

  // The next run asks the backends again.
  void forget() const {
    for (const BackendName& backend : backends) cache.forget(backend);
  }
};

// `worker_argv` starts a worker process. No worker starts for a GPU that the cache knows.
Result<FoundDevice> find_device(const DeviceChoice& choice, const std::vector<std::string>& worker_argv,
                                const Notice& notice, const DeviceCache& cache = {});

}  // namespace gktune

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

// Reports a decision to the user: a GPU is left out, the host replaces a missing GPU. May be empty.
using Notice = std::function<void(const std::string&)>;

// The device for a choice.
struct FoundDevice {
  std::vector<BackendName> backends;  // several for all GPUs of a kind; none for a recording
  DeviceInfo info;
  std::shared_ptr<const std::vector<Recording>> recordings = nullptr;  // to replay
  DeviceCache cache = {};                                              // descriptions of the backends

  // Makes the next run ask the backends again.
  void forget() const {
    for (const BackendName& backend : backends) cache.forget(backend);
  }
};

// `worker_argv` is the command of a worker process. A GPU whose description is in the cache needs no worker.
Result<FoundDevice> find_device(const DeviceChoice& choice, const std::vector<std::string>& worker_argv,
                                const Notice& notice, const DeviceCache& cache = {});

}  // namespace gktune

#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/device_choice.h"
#include "gktune/result.h"
#include "gktune/values.h"
#include "tuner/core/device_info.h"
#include "tuner/device/worker/worker_device.h"
#include "tuner/recording/recording.h"
#include "tuner/space/definition.h"
#include "tuner/space/diagnostic.h"

namespace gktune {

// The reason why the engine cannot execute a request.
struct EngineError {
  enum class Kind {
    invalid,           // the request or the space file has errors
    no_device,         // the device is absent or does not start
    wrong_device,      // the kernel cannot run on the chosen device
    no_configuration,  // the space is empty
    no_cache,          // the folder for compiled code cannot be written
    failed,
  };
  Kind kind = Kind::failed;
  std::string message;                       // empty if there are diagnostics
  std::vector<Diagnostic> diagnostics = {};  // of space files
};

// A text that identifies the machine's GPUs, its driver and the current boot. Opens no GPU. Empty if the
// driver does not list its GPUs; then each program asks the GPU itself.
std::string gpus_of_machine(const std::filesystem::path& proc = "/proc");

// Keeps descriptions of GPUs in files in the folder for compiled code, because asking a GPU takes a fifth of
// a second. A description is valid only on the same machine, until its next boot, and with the same settings.
class DeviceCache {
 public:
  // A cache that keeps nothing.
  DeviceCache() = default;
  // `settings` are the environment variables that decide which GPUs a program sees.
  DeviceCache(std::filesystem::path folder, const std::string& machine, const std::string& settings);

  std::optional<DeviceInfo> find(const BackendName& backend) const;
  void keep(const BackendName& backend, const DeviceInfo& info) const;
  void forget(const BackendName& backend) const;

 private:
  bool keeps(const BackendName& backend) const { return !key_.empty() && is_gpu(backend.kind); }
  std::filesystem::path path_of(const BackendName& backend) const;

  std::filesystem::path folder_;
  std::string key_;  // empty: nothing is kept
};

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

Result<std::unique_ptr<WorkerDevice>, EngineError> open_device(KernelDefinition kernel,
                                                               const FoundDevice& found,
                                                               const WorkerSettings& settings,
                                                               DeviceWork work);

// The memory bandwidth in GB/s, computed from clock and bus width; 0 if one of them is unknown.
double peak_bandwidth_gbs(const DeviceInfo& device);
// The compute peak in GFLOP/s: two operations on 32-bit floats for each core and cycle, without tensor cores;
// 0 if the architecture or its clock is unknown.
double peak_compute_gflops(const DeviceInfo& device);

// A metric as a share of the device's peak.
struct PeakShare {
  std::string metric;
  double share = 0;  // 1 is the peak; caches and tensor cores may exceed it
  double peak = 0;   // in the metric's unit
  enum class Kind { bandwidth, compute } kind = Kind::bandwidth;
};
inline EnumNames enum_names(PeakShare::Kind) {
  static constexpr std::string_view kNames[] = {"memory", "arithmetic"};
  return kNames;
}
// Reads metrics whose names are units of bandwidth (GB/s, TiB/s, …) or compute
// (GFLOP/s, TFLOPS, …); ignores others.
std::vector<PeakShare> peak_shares(const NamedValues& metrics, const DeviceInfo& device);

}  // namespace gktune

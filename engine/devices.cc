#include "engine/devices.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "engine/import/recordings.h"
#include "tuner/core/files.h"
#include "tuner/core/text.h"
#include "tuner/core/version.h"
#include "tuner/device/backends.h"
#include "tuner/device/worker/cores.h"
#include "tuner/device/worker/folders.h"
#include "tuner/device/worker/job.h"
#include "tuner/space/fingerprint.h"

namespace gktune {
namespace {

using Argv = std::vector<std::string>;

namespace fs = std::filesystem;

// A shorter candidate of a GPU takes little more time than the messages about it.
constexpr double kShortRunS = 0.05;

// Candidates that a sanitizer examines at the same time, at most: each takes many times the memory of its
// buffers.
constexpr int kSanitizedAtOnce = 8;

// All files and folders below this one, by their paths.
std::vector<fs::path> paths_below(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    paths.push_back(at->path());
  }
  std::ranges::sort(paths);
  return paths;
}

Result<FoundDevice> find_one(const BackendName& name, const Argv& worker_argv, const DeviceCache& cache) {
  if (auto known = cache.find(name)) return FoundDevice{{name}, *std::move(known), nullptr, cache};
  auto info = probe_device(worker_argv, name);
  if (!info && kind_of_architecture(name.kind) != nullptr) return Error{info.error().message};
  if (!info) return Error{fmt::format("no device {}:{}: {}", name.kind, name.ordinal, info.error().message)};
  cache.keep(name, *info);
  return FoundDevice{{name}, *std::move(info), nullptr, cache};
}

// All GPUs of this kind and of the same model as the first one that starts. A broken GPU or one
// of another model is left out.
Result<FoundDevice> find_all_gpus(const std::string& kind, const Argv& worker_argv, const Notice& notice,
                                  const DeviceCache& cache) {
  const auto count = count_devices(worker_argv, kind);
  if (!count) return Error{fmt::format("no device {}: {}", kind, count.error().message)};
  Result<FoundDevice> all = Error{fmt::format("no device {}: none of {} GPUs starts", kind, *count)};
  for (int ordinal = 0; ordinal < *count; ++ordinal) {
    auto found = find_one({kind, ordinal}, worker_argv, cache);
    if (!found) {
      if (notice) notice(found.error().message);
    } else if (!all) {
      all = std::move(found);
    } else if (are_of_one_model(found->info, all->info)) {
      all->backends.push_back({kind, ordinal});
    } else if (notice) {
      notice(fmt::format("{0}:{1} is left out: {2} with {3} multiprocessors is not the model of {0}:{4}",
                         kind, ordinal, found->info.name, found->info.multiprocessors,
                         all->backends.front().ordinal));
    }
  }
  return all;
}

// The first GPU of the first kind that has one, or the reasons why there is none.
Result<FoundDevice> find_first_gpu(const Argv& worker_argv, const DeviceCache& cache) {
  const auto built = device_kinds();
  std::vector<std::string> reasons;
  for (const DeviceKind& kind : known_device_kinds()) {
    if (!kind.is_gpu) continue;
    std::string reason = fmt::format("built without {}", kind.toolkit);
    if (std::ranges::find(built, kind.name) != built.end()) {
      auto gpu = find_one({std::string(kind.name), 0}, worker_argv, cache);
      if (gpu) return gpu;
      reason = gpu.error().message;
    }
    reasons.push_back(std::move(reason));
  }
  return Error{joined(reasons, "; ")};
}

Result<FoundDevice> open_recordings(const std::string& path) {
  auto recordings = GKTUNE_TRY(read_recordings(path));
  DeviceInfo info = recordings.front().device;
  return FoundDevice{
      {}, std::move(info), std::make_shared<const std::vector<Recording>>(std::move(recordings))};
}

// Cores for 32-bit numbers in a multiprocessor, from the CUDA programming guide's
// table of arithmetic throughput.
int cores_of(std::string_view architecture) {
  constexpr std::string_view kWith64[] = {"sm_60", "sm_70", "sm_75", "sm_80"};
  constexpr std::string_view kWith128[] = {"sm_50", "sm_52", "sm_61",  "sm_86",  "sm_87",
                                           "sm_89", "sm_90", "sm_100", "sm_103", "sm_120"};
  if (std::ranges::find(kWith64, architecture) != std::end(kWith64)) return 64;
  return std::ranges::find(kWith128, architecture) != std::end(kWith128) ? 128 : 0;
}

struct Unit {
  std::string_view name;
  PeakShare::Kind kind;
  double factor;  // of GB/s or GFLOP/s
};
using enum PeakShare::Kind;
constexpr Unit kUnits[] = {
    {"MB/s", bandwidth, 1e-3},
    {"GB/s", bandwidth, 1},
    {"TB/s", bandwidth, 1e3},
    {"MiB/s", bandwidth, 1.048576e-3},
    {"GiB/s", bandwidth, 1.073741824},
    {"TiB/s", bandwidth, 1099.511627776},
    {"MFLOP/s", compute, 1e-3},
    {"GFLOP/s", compute, 1},
    {"TFLOP/s", compute, 1e3},
    {"MFLOPS", compute, 1e-3},
    {"GFLOPS", compute, 1},
    {"TFLOPS", compute, 1e3},
};

}  // namespace

std::string gpus_of_machine(const fs::path& proc) {
  const auto boot = read_whole(proc / "sys/kernel/random/boot_id");
  const auto driver = read_whole(proc / "driver/nvidia/version");
  if (!boot || !driver) return {};
  const std::vector<fs::path> gpus = paths_below(proc / "driver/nvidia/gpus");
  if (gpus.empty()) return {};
  std::string text = *boot + *driver;
  for (const fs::path& path : gpus) text += path.string() + '\n';
  // The parts of a divided GPU.
  for (const fs::path& path : paths_below(proc / "driver/nvidia/capabilities")) text += path.string() + '\n';
  return text;
}

DeviceCache::DeviceCache(fs::path folder, const std::string& machine, const std::string& settings)
    : folder_(std::move(folder)) {
  if (folder_.empty() || machine.empty()) return;
  key_ = content_key(std::string(kVersion) + '\n' + settings + '\n' + machine);
}

fs::path DeviceCache::path_of(const BackendName& backend) const {
  return folder_ / (backend.kind + '-' + std::to_string(backend.ordinal) + ".device");
}

// A file holds the key and the description.
std::optional<DeviceInfo> DeviceCache::find(const BackendName& backend) const {
  if (!keeps(backend)) return std::nullopt;
  const auto entry = read_whole(path_of(backend));
  if (!entry || !entry->starts_with(key_)) return std::nullopt;
  auto info = decode<DeviceInfo>(entry->substr(key_.size()));
  if (!info) return std::nullopt;
  return *std::move(info);
}

// If it cannot be kept, the next run asks again.
void DeviceCache::keep(const BackendName& backend, const DeviceInfo& info) const {
  if (!keeps(backend) || !make_private_folder(folder_)) return;
  (void)write_atomically(path_of(backend), key_ + encode(info));
}

void DeviceCache::forget(const BackendName& backend) const {
  std::error_code ignored;
  if (keeps(backend)) fs::remove(path_of(backend), ignored);
}

Result<FoundDevice> find_device(const DeviceChoice& choice, const Argv& worker_argv, const Notice& notice,
                                const DeviceCache& cache) {
  using Kind = DeviceChoice::Kind;
  switch (choice.kind) {
    case Kind::host:
      return find_one({"host", 0}, worker_argv, cache);
    case Kind::gpu:
      if (choice.extent == DeviceChoice::Extent::all)
        return find_all_gpus(choice.gpu_kind, worker_argv, notice, cache);
      return find_one({choice.gpu_kind, choice.ordinal.value_or(0)}, worker_argv, cache);
    case Kind::replay:
      return open_recordings(choice.recording);
    case Kind::architecture:
      return find_one({choice.architecture, 0}, worker_argv, cache);
    case Kind::automatic:
      break;
  }
  auto gpu = find_first_gpu(worker_argv, cache);
  if (gpu) return gpu;
  auto host = find_one({"host", 0}, worker_argv, cache);
  if (!host) return Error{fmt::format("{}; {}", gpu.error().message, host.error().message)};
  if (notice) notice("no GPU can be used; using the host device, " + host->info.name);
  return host;
}

int compile_jobs(const WorkerSettings& settings) {
  if (settings.jobs == 0) return static_cast<int>(own_core_count());
  return static_cast<int>(std::min<std::int64_t>(settings.jobs, 1024));
}

Result<std::unique_ptr<WorkerDevice>, EngineError> open_device(KernelDefinition kernel,
                                                               const FoundDevice& found,
                                                               const WorkerSettings& settings,
                                                               DeviceWork work) {
  if (found.recordings) {
    return EngineError{EngineError::Kind::wrong_device,
                       "a recording can only be searched: no code is compiled for it or runs on it"};
  }
  using LastStep = WorkerDeviceOptions::Work;
  // Without a place for compiled code every kernel fails to compile, and no trial is to blame for it.
  auto cache = make_private_folder(settings.cache_dir);
  if (!cache) return EngineError{EngineError::Kind::no_cache, cache.error().message};
  WorkerDeviceOptions options;
  options.backends = found.backends;
  options.info = found.info;
  options.worker_argv = settings.argv;
  options.seed = settings.seed;
  options.jobs = compile_jobs(settings);
  // Compilers on all cores would delay this process and its run workers, which then make the device wait.
  options.jobs_while_waiting = static_cast<int>(std::max(1u, own_core_count() - own_core_count() / 4));
  if (found.info.kind == "host") options.batch = 1;  // its compiler gains nothing from several at once
  options.compiles_while_timing = work == DeviceWork::sanitize || found.info.kind != "host";
  if (is_gpu(found.info.kind)) options.sends_ahead_below_s = kShortRunS;
  options.fault_telling_s = 2;  // a GPU's driver looks at the damage first, a CPU's thread for its line
  options.cache_dir = cache->string();
  options.work = work == DeviceWork::compile ? LastStep::compile
                 : work == DeviceWork::time  ? LastStep::time
                                             : LastStep::check;
  if (work == DeviceWork::sanitize) {
    options.instrumentation = Instrumentation::sanitize;
    // A sanitizer times nothing, so candidates may disturb one another.
    options.backends.resize(static_cast<std::size_t>(std::clamp(options.jobs, 1, kSanitizedAtOnce)),
                            options.backends.front());
  }
  auto folder = RunFolder::make(*cache);
  if (!folder) return EngineError{EngineError::Kind::no_cache, folder.error().message};
  auto device = WorkerDevice::open(std::move(kernel), std::move(options), *std::move(folder));
  if (!device) return EngineError{EngineError::Kind::no_device, device.error().message};
  return *std::move(device);
}

double peak_bandwidth_gbs(const DeviceInfo& device) {
  // Two transfers per cycle.
  return 2.0 * static_cast<double>(device.memory_clock_khz) * static_cast<double>(device.memory_bus_bits) /
         8 / 1e6;
}

double peak_compute_gflops(const DeviceInfo& device) {
  return 2.0 * cores_of(device.architecture) * static_cast<double>(device.multiprocessors) *
         static_cast<double>(device.clock_khz) / 1e6;
}

std::vector<PeakShare> peak_shares(const NamedValues& metrics, const DeviceInfo& device) {
  std::vector<PeakShare> shares;
  for (const auto& [name, value] : metrics) {
    const auto unit = std::ranges::find(kUnits, std::string_view(name), &Unit::name);
    if (unit == std::end(kUnits) || !value.is_number()) continue;
    const double peak = unit->kind == bandwidth ? peak_bandwidth_gbs(device) : peak_compute_gflops(device);
    if (peak > 0)
      shares.push_back({name, value.number() * unit->factor / peak, peak / unit->factor, unit->kind});
  }
  return shares;
}

}  // namespace gktune

#include "engine/device/find_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/import/recordings.h"
#include "tuner/core/device_kinds.h"
#include "tuner/core/text.h"
#include "tuner/device/backends.h"

namespace gktune {
namespace {

using Argv = std::vector<std::string>;

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
  auto recordings = read_recordings(path);
  if (!recordings) return recordings.error();
  DeviceInfo info = recordings->front().device;
  return FoundDevice{
      {}, std::move(info), std::make_shared<const std::vector<Recording>>(*std::move(recordings))};
}

}  // namespace

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

}  // namespace gktune

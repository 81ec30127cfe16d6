#include "engine/device/find_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/import/recordings.h"

namespace gktune {
namespace {

using Argv = std::vector<std::string>;

Result<FoundDevice> find_one(const BackendName& name, const Argv& worker_argv, const DeviceCache& cache) {
  if (auto known = cache.find(name)) return FoundDevice{{name}, *std::move(known), nullptr, cache};
  auto info = probe_device(worker_argv, name);
  if (!info && name.kind.starts_with("sm_")) return Error{info.error().message};
  if (!info) return Error{fmt::format("no device {}:{}: {}", name.kind, name.ordinal, info.error().message)};
  cache.keep(name, *info);
  return FoundDevice{{name}, *std::move(info), nullptr, cache};
}

// All GPUs of the same model as the first one that starts. A broken GPU or one of another model is left out.
Result<FoundDevice> find_all_gpus(const Argv& worker_argv, const Notice& notice, const DeviceCache& cache) {
  const auto count = count_devices(worker_argv, "cuda");
  if (!count) return Error{"no device cuda: " + count.error().message};
  Result<FoundDevice> all = Error{fmt::format("no device cuda: none of {} GPUs starts", *count)};
  for (int ordinal = 0; ordinal < *count; ++ordinal) {
    auto found = find_one({"cuda", ordinal}, worker_argv, cache);
    if (!found) {
      if (notice) notice(found.error().message);
    } else if (!all) {
      all = std::move(found);
    } else if (are_of_one_model(found->info, all->info)) {
      all->backends.push_back({"cuda", ordinal});
    } else if (notice) {
      notice(fmt::format("cuda:{} is left out: {} with {} multiprocessors is not the model of cuda:{}",
                         ordinal, found->info.name, found->info.multiprocessors,
                         all->backends.front().ordinal));
    }
  }
  return all;
}

Result<FoundDevice> open_recordings(const std::string& path) {
  auto recordings = read_recordings(path);
  if (!recordings) return recordings.error();
  DeviceInfo info = recordings->front().device;
  return FoundDevice{
      {}, std::move(info), std::make_shared<const std::vector<Recording>>(*std::move(recordings))};
}

bool has_cuda() {
  auto kinds = device_kinds();
  return std::ranges::find(kinds, "cuda") != kinds.end();
}

}  // namespace

std::vector<std::string> device_kinds() {
  std::vector<std::string> kinds = {"host"};
#ifdef GKTUNE_WITH_CUDA
  kinds.emplace_back("cuda");
#endif
  return kinds;
}

Result<FoundDevice> find_device(const DeviceChoice& choice, const Argv& worker_argv, const Notice& notice,
                                const DeviceCache& cache) {
  using Kind = DeviceChoice::Kind;
  switch (choice.kind) {
    case Kind::host:
      return find_one({"host", 0}, worker_argv, cache);
    case Kind::cuda:
      if (choice.extent == DeviceChoice::Extent::all) return find_all_gpus(worker_argv, notice, cache);
      return find_one({"cuda", choice.ordinal}, worker_argv, cache);
    case Kind::replay:
      return open_recordings(choice.recording);
    case Kind::architecture:
      return find_one({choice.architecture, 0}, worker_argv, cache);
    case Kind::automatic:
      break;
  }
  std::string no_gpu = "built without CUDA";
  if (has_cuda()) {
    auto gpu = find_one({"cuda", 0}, worker_argv, cache);
    if (gpu) return gpu;
    no_gpu = gpu.error().message;
  }
  auto host = find_one({"host", 0}, worker_argv, cache);
  if (!host) return Error{fmt::format("{}; {}", no_gpu, host.error().message)};
  if (notice) notice("no GPU can be used; using the host device, " + host->info.name);
  return host;
}

}  // namespace gktune

#include "cli/find_device.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <ostream>
#include <utility>

#include "cli/version.h"
#include "tuner/device/worker/cores.h"
#include "tuner/search/strategy.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

Result<FoundDevice> find_one(const BackendName& name, const Context& context) {
  auto info = probe_device(worker_argv(context), name);
  if (!info) return Error{fmt::format("no device {}:{}: {}", name.kind, name.ordinal, info.error().message)};
  return FoundDevice{{name}, *std::move(info)};
}

// All GPUs that are of the model of the first one that gets ready. One that does not takes no other out, nor
// does an odd one.
Result<FoundDevice> find_all_gpus(const Context& context) {
  const auto count = count_devices(worker_argv(context), "cuda");
  if (!count) return Error{"no device cuda: " + count.error().message};
  Result<FoundDevice> all = Error{fmt::format("no device cuda: of {} GPUs none gets ready", *count)};
  for (int ordinal = 0; ordinal < *count; ++ordinal) {
    auto found = find_one({"cuda", ordinal}, context);
    if (!found) {
      context.log.info(found.error().message);
    } else if (!all) {
      all = std::move(found);
    } else if (are_of_one_model(found->info, all->info)) {
      all->backends.push_back({"cuda", ordinal});
    } else {
      context.log.info(
          fmt::format("cuda:{} is left out: {} with {} multiprocessors is not the model of cuda:{}", ordinal,
                      found->info.name, found->info.multiprocessors, all->backends.front().ordinal));
    }
  }
  return all;
}

bool has_cuda() {
  auto kinds = device_kinds();
  return std::ranges::find(kinds, "cuda") != kinds.end();
}

// Definitions of all files; nothing where one has errors, which are printed.
std::optional<std::vector<Definition>> read_all(const std::vector<std::string>& paths,
                                                const std::string& device_kind, Context& context) {
  ReadOptions options{.device_kind = device_kind, .strategies = {}};
  for (const Strategy& strategy : strategies()) options.strategies.emplace_back(strategy.name);
  std::vector<Definition> definitions;
  for (const std::string& path : paths) {
    auto definition = read_space_file(path, options);
    if (definition) {
      definitions.push_back(*std::move(definition));
      continue;
    }
    fail(context, definition.error());
  }
  if (definitions.size() != paths.size()) return std::nullopt;
  return definitions;
}

// A compiler without a place for what it makes fails for any kernel: no trial is to be blamed for that.
Result<void> make_cache(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && faccessat(AT_FDCWD, folder.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    error.assign(errno, std::generic_category());
  if (!error) return {};
  return Error{fmt::format("no compiled code can be kept in {}: {}; --cache names another folder",
                           folder.string(), error.message())};
}

}  // namespace

std::vector<std::string> worker_argv(const Context& context) {
  return {context.environment.program.string(), "worker"};
}

Result<FoundDevice> find_device(const DeviceChoice& choice, const Context& context) {
  using Kind = DeviceChoice::Kind;
  switch (choice.kind) {
    case Kind::host:
      return find_one({"host", 0}, context);
    case Kind::cuda:
      if (choice.extent == DeviceChoice::Extent::all) return find_all_gpus(context);
      return find_one({"cuda", choice.ordinal}, context);
    case Kind::automatic:
      break;
  }
  std::string reason = "built without CUDA";
  if (has_cuda()) {
    auto gpu = find_one({"cuda", 0}, context);
    if (gpu) return gpu;
    reason = gpu.error().message;
  }
  auto host = find_one({"host", 0}, context);
  if (!host) return Error{fmt::format("{}; {}", reason, host.error().message)};
  context.log.info(fmt::format("running on the host device, {} ({})", host->info.name, reason));
  return host;
}

Result<WorkerDeviceOptions> device_options(const FoundDevice& found, const DeviceFlags& flags,
                                           const Context& context) {
  using While = WorkerDeviceOptions::CompileWhileTiming;
  bool is_host = found.info.kind == "host";
  WorkerDeviceOptions options;
  options.backends = found.backends;
  options.worker_argv = worker_argv(context);
  options.seed = static_cast<std::uint64_t>(flags.seed);
  options.jobs = static_cast<int>(std::min<std::int64_t>(flags.jobs, 1024));
  if (options.jobs == 0) options.jobs = static_cast<int>(own_core_count());
  options.compile_while_timing = is_host ? While::no : While::yes;
  options.fault_telling_s = 2;  // a GPU's driver looks at the damage first, a CPU's thread for its line
  options.cache_dir = flags.cache_dir.empty() ? context.environment.cache_dir.string() : flags.cache_dir;
  if (auto made = make_cache(options.cache_dir); !made) return made.error();
  return options;
}

Result<std::vector<ReadFiles>, ExitCode> read_files(const std::vector<std::string>& paths,
                                                    const DeviceChoice& choice, Context& context) {
  auto device = find_device(choice, context);
  if (!device) return fail(context, ExitCode::no_device, device.error().message);
  auto definitions = read_all(paths, device->info.kind, context);
  if (!definitions) return ExitCode::usage;
  std::vector<ReadFiles> groups;
  if (device->info.kind == "host") {
    groups.push_back({*std::move(device), *std::move(definitions)});
    return groups;
  }

  std::vector<std::string> functions;
  for (const Definition& each : *definitions) {
    if (each.kernel.language == Language::cpp) functions.push_back(each.path);
  }
  std::erase_if(*definitions, [](const Definition& each) { return each.kernel.language == Language::cpp; });
  if (!functions.empty() && choice.kind != DeviceChoice::Kind::automatic) {
    fail(context, ExitCode::no_device, functions.front() + ": a C++ function runs on the host device alone");
    hint(context, "--device host");
    return ExitCode::no_device;
  }
  if (!definitions->empty()) groups.push_back({*std::move(device), *std::move(definitions)});
  if (functions.empty()) return groups;
  for (const std::string& path : functions) context.log.info(path + ": a C++ function, for the host device");
  auto on_host = read_files(functions, {DeviceChoice::Kind::host}, context);
  if (!on_host) return on_host.error();
  groups.push_back(std::move(on_host->front()));
  return groups;
}

Result<ReadFiles, ExitCode> read_file(const std::string& path, const DeviceChoice& choice, Context& context) {
  auto groups = read_files({path}, choice, context);
  if (!groups) return groups.error();
  return std::move(groups->front());
}

}  // namespace gktune

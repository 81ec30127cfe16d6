// Opens kernels from their sources.
#include <utility>

#include "db/database.h"
#include "engine/devices.h"
#include "engine/tuning_session.h"
#include "runtime/kernel_state.h"
#include "tuner/core/text.h"
#include "tuner/core/version.h"
#include "tuner/device/worker/folders.h"
#include "tuner/space/space_file.h"

namespace gktune {
namespace {

// Tunes in worker processes, and stores trials and winner in the database.
Result<void> tune(const std::filesystem::path& database, const WorkerSettings& workers, const Definition& definition,
                  const Problem& problem, const LaunchDevice& device, double budget_s) {
  auto store = GKTUNE_TRY(Database::open(database, Database::Access::write));
  const auto session = GKTUNE_TRY(
      store->begin_session({std::string(kVersion), "", "autotune " + definition.kernel.name, device.info()}));
  auto worker =
      open_device(definition.kernel, {{device.backend()}, device.info()}, workers, DeviceWork::time);
  if (!worker) return Error{worker.error().message};
  const TuneRequest request{.definition = definition,
                            .problem = problem,
                            .strategy = definition.search.strategy,
                            .limits = {.trials = definition.search.trials, .seconds = budget_s}};
  const TuneSite site{**worker, *store, session};
  const auto tuning = tune_problem(request, site);
  GKTUNE_TRY(store->end_session(session));
  if (!tuning) return Error{tuning.error().message};
  if (!tuning->outcome.best) {
    return Error{"autotune of " + definition.kernel.name + " found no configuration that works" +
                 (tuning->outcome.failure ? ": " + *tuning->outcome.failure : "")};
  }
  return {};
}

Result<KernelSources> open_sources(const KernelSettings& settings) {
  KernelSources sources;
  if (settings.cache_dir.empty()) {
    sources.temporary = GKTUNE_TRY(temporary_folder());
    sources.cache_dir = sources.temporary->string();
  } else {
    auto folder = GKTUNE_TRY(make_private_folder(settings.cache_dir));
    sources.cache_dir = folder.string();
  }
  for (const auto& path : settings.databases) {
    // autotune() can start from nothing: the first database is where it stores its results.
    std::error_code error;
    const bool is_made = &path == &settings.databases.front() && !settings.is_frozen &&
                         !settings.lookup.files.contains(path.string());
    if (is_made && !(std::filesystem::file_size(path, error) > 0 && !error)) {
      GKTUNE_TRY(Database::open(path, Database::Access::write));
    }
    sources.databases.push_back(GKTUNE_TRY(WinnersSource::of_database(path, settings.lookup.files)));
  }
  if (settings.databases.empty()) return sources;
  const WorkerSettings workers{.argv = settings.worker, .cache_dir = sources.cache_dir};
  sources.tune = std::bind_front(tune, settings.databases.front(), workers);
  return sources;
}

}  // namespace

Result<Kernel> Kernel::open(const std::string& space_file, KernelSettings settings) {
  auto bundles = GKTUNE_TRY(open_bundles(settings));
  auto device = GKTUNE_TRY(open_launch_device({settings.device, settings.cxx, settings.cuda_home}));
  const auto& files = settings.lookup.files;
  const auto read = [&](const std::string& path) -> Result<std::string> {
    const auto known = files.find(path);
    return known != files.end() ? known->second : read_whole_file(path);
  };
  const ReadOptions options{.device_kind = device->info().kind};
  const auto text = files.find(space_file);
  auto definition = text != files.end() ? read_space_text(text->second, space_file, options, read)
                                        : read_space_file(space_file, options);
  if (!definition) {
    std::error_code error;
    const bool is_missing = text == files.end() && !std::filesystem::exists(space_file, error);
    return Error{joined(definition.error(), "\n", &Diagnostic::str),
                 is_missing ? ErrorCode::not_found : ErrorCode::invalid_argument};
  }
  if (definition->kernel.language == Language::host) {
    return Error{space_file + ": host code is no kernel that can be launched: call its function with the "
                              "configuration that the lookup answers",
                 ErrorCode::invalid_argument};
  }
  if (definition->kernel.language == Language::cpp && device->info().kind != "host") {
    return Error{space_file + ": C++ functions run on the host device only", ErrorCode::invalid_argument};
  }
  GKTUNE_TRY(check_textures(definition->kernel));
  auto sources = GKTUNE_TRY(open_sources(settings));
  return make({*std::move(definition), std::move(settings), std::move(device), std::move(bundles),
               std::move(sources)});
}

}  // namespace gktune

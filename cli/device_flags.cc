#include "cli/device_flags.h"

#include <utility>

namespace gktune {
namespace {

ExitCode exit_code_of(EngineError::Kind kind) {
  using Kind = EngineError::Kind;
  switch (kind) {
    case Kind::invalid:
      return ExitCode::usage;
    case Kind::no_device:
    case Kind::wrong_device:
      return ExitCode::no_device;
    case Kind::no_configuration:
      return ExitCode::no_configuration;
    case Kind::no_cache:
    case Kind::failed:
      break;
  }
  return ExitCode::failed;
}

}  // namespace

std::vector<std::string> worker_argv(const Context& context) {
  return {context.environment.program.string(), "worker"};
}

UnsafeOptions unsafe_options(const DeviceFlags& flags) {
  return flags.allows_unsafe_options ? UnsafeOptions::allowed : UnsafeOptions::refused;
}

WorkerSettings worker_settings(const DeviceFlags& flags, const Context& context) {
  return {.argv = worker_argv(context),
          .cache_dir = flags.cache_dir.empty() ? context.environment.cache_dir
                                               : std::filesystem::path(flags.cache_dir),
          .jobs = flags.jobs,
          .seed = static_cast<std::uint64_t>(flags.seed)};
}

DeviceCache device_cache(const std::filesystem::path& folder, const Context& context) {
  return {folder, gpus_of_machine(), context.environment.gpu_settings};
}

Result<std::vector<OpenedSpaces>, ExitCode> read_files(const std::vector<std::string>& paths,
                                                       const DeviceChoice& choice, const DeviceFlags& flags,
                                                       UnsafeOptions options, Context& context) {
  using Kind = DeviceChoice::Kind;
  const bool may_use_gpu = choice.kind == Kind::automatic || choice.kind == Kind::gpu;
  const DeviceCache cache =
      may_use_gpu ? device_cache(worker_settings(flags, context).cache_dir, context) : DeviceCache();
  auto opened = open_spaces(
      paths, choice, worker_argv(context),
      [&context](const std::string& notice) { context.log.info(notice); }, options, cache);
  if (!opened) return fail(context, opened.error());
  for (const OpenedSpaces& group : *opened) {
    for (const Definition& definition : group.definitions) warn(context, definition.warnings);
  }
  return *std::move(opened);
}

Result<OpenedSpace, ExitCode> read_file(const std::string& path, const DeviceChoice& choice,
                                        const DeviceFlags& flags, UnsafeOptions options, Context& context) {
  auto opened = read_files({path}, choice, flags, options, context);
  if (!opened) return opened.error();
  OpenedSpaces& only = opened->front();
  return OpenedSpace{std::move(only.device), std::move(only.definitions.front())};
}

ExitCode fail(Context& context, const EngineError& error) {
  if (!error.diagnostics.empty()) fail(context, error.diagnostics);
  if (!error.message.empty()) context.log.error(error.message);
  if (error.kind == EngineError::Kind::wrong_device) hint(context, "--device host");
  if (error.kind == EngineError::Kind::no_cache) hint(context, "--cache names another folder");
  return exit_code_of(error.kind);
}

}  // namespace gktune

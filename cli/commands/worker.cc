// gktune worker KIND ORDINAL compile|run|describe|execute [--cache DIR]: one of the processes of a
// device. Started by gktune itself.

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>

#include "cli/command.h"
#include "tuner/core/device_info.h"
#include "tuner/device/backends.h"
#include "tuner/device/worker/backend.h"
#include "tuner/process/sandbox.h"

namespace gktune {
namespace {

struct WorkerOptions {
  BackendName backend;
  WorkerRole role = WorkerRole::run;
  std::string cache_dir, sandbox;
  std::vector<std::string> readable;
};

void declare(Flags& flags, WorkerOptions& options) {
  flags.text("KIND", options.backend.kind, "cuda or host").required();
  flags.number("ORDINAL", options.backend.ordinal, "Number of the device").required();
  flags.choice("ROLE", options.role, "Role").required();
  flags.text("--cache", options.cache_dir, "Folder for compiled code", "DIR");
  flags.text("--sandbox", options.sandbox, "Use no files but the system's, --readable ones and this cache",
             "DIR");
  flags.collected("--readable", options.readable, "Another folder that a sandbox leaves readable", "DIR");
}

// A GPU's driver needs sockets when it starts, and devices.
bool uses_driver(const WorkerOptions& options) {
  return is_gpu(options.backend.kind) && options.role != WorkerRole::compile;
}

// Only compilers write to the cache: a candidate must not replace the code of another one.
Result<void> enter(const WorkerOptions& options) {
  Sandbox sandbox{.readable = system_folders(),
                  .writable = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}};
  for (const std::string& folder : options.readable) sandbox.readable.emplace_back(folder);
  (options.role == WorkerRole::compile ? sandbox.writable : sandbox.readable).emplace_back(options.sandbox);
  if (uses_driver(options)) {
    std::error_code error;
    for (const auto& device : std::filesystem::directory_iterator("/dev", error))
      if (device.path().filename().string().starts_with("nvidia")) sandbox.writable.push_back(device.path());
  }
  if (const char* const libraries = std::getenv("LD_LIBRARY_PATH")) {  // of CUDA
    std::istringstream folders(libraries);
    for (std::string folder; std::getline(folders, folder, ':');)
      if (!folder.empty()) sandbox.readable.emplace_back(folder);
  }
  if (const char* const temporary = std::getenv("TMPDIR")) sandbox.writable.emplace_back(temporary);
  return enter_sandbox(sandbox);
}

// The arguments of this worker for one that executes a candidate apart.
std::vector<std::string> apart_argv(const WorkerOptions& options, const Context& context) {
  std::vector<std::string> argv = {context.environment.program.string(), "worker", options.backend.kind,
                                   std::to_string(options.backend.ordinal),
                                   std::string(enum_name(WorkerRole::execute))};
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) argv.insert(argv.end(), {flag, value});
  };
  add("--cache", options.cache_dir);
  add("--sandbox", options.sandbox);
  for (const std::string& folder : options.readable) add("--readable", folder);
  return argv;
}

ExitCode run(const WorkerOptions& options, Context& context) {
  // The process that executes kernels on a GPU loads nothing of a candidate that makes system calls.
  if (!options.sandbox.empty() && !uses_driver(options)) value_or_end(enter(options), context);
  BackendOptions backend;
  if (!context.environment.cxx.empty()) backend.cxx = context.environment.cxx;
  backend.cuda_home = context.environment.cuda_home;
  backend.cache_dir = options.cache_dir;
  backend.apart_argv = apart_argv(options, context);
  if (!options.sandbox.empty()) {
    backend.confine = [&options]() -> Result<void> {
      GKTUNE_TRY(enter(options));
      return forbid_processes();
    };
  }
  int code = serve_worker(options.role, [&] { return open_backend(options.backend, backend); });
  return code == 0 ? ExitCode::done : ExitCode::failed;
}

}  // namespace

Command worker_command() {
  Command command = make_command<WorkerOptions>("worker", "Serve a device", "", declare, run);
  command.is_hidden = true;
  return command;
}

}  // namespace gktune

// gktune worker KIND ORDINAL compile|run|describe [--cache DIR]: one of the processes of a
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

// Only compilers write to the cache: a candidate must not replace the code of another one. A GPU's driver
// needs devices and sockets, and the code that it executes has no system calls.
Result<void> enter(const WorkerOptions& options) {
  if (is_gpu(options.backend.kind) && options.role != WorkerRole::compile) return {};
  Sandbox sandbox{.readable = system_folders(),
                  .writable = {"/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"}};
  for (const std::string& folder : options.readable) sandbox.readable.emplace_back(folder);
  (options.role == WorkerRole::run ? sandbox.readable : sandbox.writable).emplace_back(options.sandbox);
  if (const char* const libraries = std::getenv("LD_LIBRARY_PATH")) {  // of CUDA
    std::istringstream folders(libraries);
    for (std::string folder; std::getline(folders, folder, ':');)
      if (!folder.empty()) sandbox.readable.emplace_back(folder);
  }
  if (const char* const temporary = std::getenv("TMPDIR")) sandbox.writable.emplace_back(temporary);
  return enter_sandbox(sandbox);
}

ExitCode run(const WorkerOptions& options, Context& context) {
  if (!options.sandbox.empty()) value_or_end(enter(options), context);
  BackendOptions backend;
  if (!context.environment.cxx.empty()) backend.cxx = context.environment.cxx;
  backend.cuda_home = context.environment.cuda_home;
  backend.cache_dir = options.cache_dir;
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

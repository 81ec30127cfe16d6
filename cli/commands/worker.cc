// gktune worker KIND ORDINAL compile|run|describe [--cache DIR]: one of the processes of a
// device. Started by gktune itself.

#include "cli/command.h"
#include "tuner/device/backends.h"
#include "tuner/device/worker/backend.h"

namespace gktune {
namespace {

struct WorkerOptions {
  BackendName backend;
  WorkerRole role = WorkerRole::run;
  std::string cache_dir;
};

void declare(Flags& flags, WorkerOptions& options) {
  flags.text("KIND", options.backend.kind, "cuda or host").required();
  flags.number("ORDINAL", options.backend.ordinal, "Number of the device").required();
  flags.choice("ROLE", options.role, "Role").required();
  flags.text("--cache", options.cache_dir, "Folder for compiled code", "DIR");
}

ExitCode run(const WorkerOptions& options, Context& context) {
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

#include "tuner/device/worker/backend.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>
#include <utility>
#include <variant>

#include "tuner/core/files.h"
#include "tuner/device/worker/channel.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/device/worker/job.h"
#include "tuner/process/child_process.h"

namespace gktune {
namespace {

// Compilers give way to the tuner and its run worker, which a GPU waits for.
constexpr int kCompilerNiceness = 10;

// Kills the worker with its children, such as compilers, which are in its group.
void end_group(int) { ::kill(0, SIGKILL); }

void die_with_parent() {
  struct sigaction action {};
  action.sa_handler = end_group;
  for (const int signal : {SIGTERM, kEndJobSignal}) ::sigaction(signal, &action, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
}

// The backend with the part that this worker serves.
struct OpenBackend {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Compiler> compiler;
  std::unique_ptr<Runner> runner;
  bool is_lost = false;  // see RunReply::worker_is_lost
};

Result<OpenBackend> open_parts(WorkerRole role, const BackendOpener& open) {
  OpenBackend opened;
  opened.backend = GKTUNE_TRY(open());
  if (role == WorkerRole::compile) {
    opened.backend->limit_compile_worker();
    opened.compiler = GKTUNE_TRY(opened.backend->compiler());
  } else if (role == WorkerRole::run) {
    opened.runner = GKTUNE_TRY(opened.backend->runner());
  }
  return opened;
}

Result<std::string> answer(OpenBackend& opened, DeviceQuestion question) {
  const auto encoded = [](const auto& told) {
    return told ? Result<std::string>(encode(*told)) : told.error();
  };
  switch (question) {
    case DeviceQuestion::probe:
      return encoded(opened.backend->probe());
    case DeviceQuestion::host_code_compiler:
      return encoded(opened.backend->host_code_compiler());
    case DeviceQuestion::count:
      break;
  }
  return encoded(opened.backend->count());
}

// An error ends the worker.
Result<std::string> answer(OpenBackend& opened, const std::string& bytes) {
  const Result<Request> request = decode_request(bytes);
  if (!request) return request.error();
  if (const auto* question = std::get_if<DeviceQuestion>(&*request)) return answer(opened, *question);
  if (const auto* job = std::get_if<CompileJob>(&*request); job != nullptr && opened.compiler)
    return encode(opened.compiler->compile(*job));
  if (const auto* job = std::get_if<RunJob>(&*request); job != nullptr && opened.runner) {
    limit_steps(job->plan.time_limit_s);
    const RunReply reply = opened.runner->run(*job);
    opened.is_lost = reply.worker_is_lost;
    return encode(reply);
  }
  if (const auto* job = std::get_if<PlayoffJob>(&*request); job != nullptr && opened.runner) {
    double limit_s = 0;
    for (const RunJob& finalist : job->finalists) limit_s = std::max(limit_s, finalist.plan.time_limit_s);
    limit_steps(limit_s);
    return encode(opened.runner->playoff(*job));
  }
  return Error{"a request that this kind of worker does not serve"};
}

}  // namespace

Result<void, Failure> compile_programs(Compiler& compiler, const std::string& architecture,
                                       const std::string& cache_dir, RunJob& job) {
  const struct {
    const char* judge;
    const ProgramPlan& plan;
    Module& module;
  } programs[] = {{nullptr, job.plan.candidate, job.candidate},
                  {"reference", job.plan.reference, job.reference},
                  {"verifier", job.plan.verifier, job.verifier}};
  for (const auto& [judge, plan, module] : programs) {
    if (!plan.has_steps()) continue;
    CompiledVariant variant = std::move(compiler.compile({{plan.source}, architecture, cache_dir}).front());
    module = std::move(variant.module);
    if (variant.status == Status::ok) continue;
    if (judge == nullptr || variant.status == Status::machine_failed)
      return Failure{variant.status, std::move(variant.log)};
    return Failure{Status::reference_failed,
                   "the " + std::string(judge) + " does not compile: " + variant.log};
  }
  return {};
}

int serve_worker(WorkerRole role, const BackendOpener& open) {
  if (role == WorkerRole::execute) {
    const auto backend = open();
    return backend ? (*backend)->execute_apart() : 1;
  }
  die_with_parent();
  if (role == WorkerRole::compile) ::setpriority(PRIO_PROCESS, 0, kCompilerNiceness);
  if (role == WorkerRole::run) ::signal(kQuestionSignal, SIG_IGN);  // until a runner handles it
  ::fcntl(kChannelFd, F_SETFD, FD_CLOEXEC);                         // not for the worker's own children
  Channel channel{FileDescriptor(kChannelFd)};
  set_report_channel(kChannelFd);
  auto send = [&](Frame::Kind kind, std::string_view payload) {
    channel.queue(kind, payload);
    channel.write();
  };

  Result<OpenBackend> opened = open_parts(role, open);
  if (!opened) {
    send(Frame::Kind::not_ready, opened.error().message);
    return 1;
  }
  std::string description;
  if (role == WorkerRole::run) {
    const auto info = opened->backend->identify();
    if (!info) {
      send(Frame::Kind::not_ready, info.error().message);
      return 1;
    }
    description = encode(*info);
  }
  send(Frame::Kind::ready, description);
  while (channel.is_open()) {
    channel.read();
    while (std::optional<Frame> frame = channel.next()) {
      if (opened->is_lost) continue;  // the parent replaces this worker and sends the job again
      if (frame->kind != Frame::Kind::request) continue;
      const Result<std::string> reply = answer(*opened, frame->payload);
      std::fflush(nullptr);  // output belongs to this job
      if (!reply) {
        send(Frame::Kind::not_ready, reply.error().message);
        return 1;
      }
      send(Frame::Kind::reply, *reply);
    }
  }
  set_report_channel(-1);
  return 0;
}

Result<std::string> Compiler::packed(const std::string&) const {
  return Error{"this device runs sources, no machine code"};
}

Result<std::string> Compiler::loadable_code(const Module& module) const {
  auto bytes = read_whole(module.path);
  if (!bytes) return Error{"there is no compiled code at " + module.path};
  return *std::move(bytes);
}

}  // namespace gktune

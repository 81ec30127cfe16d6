#include "tuner/device/worker/serve_worker.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <string>
#include <utility>

#include "tuner/device/worker/channel.h"
#include "tuner/device/worker/child_process.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/device/worker/job_json.h"

namespace gktune {
namespace {

constexpr std::pair<WorkerRole, std::string_view> kRoles[] = {{WorkerRole::compile, "compile"},
                                                              {WorkerRole::run, "run"}};

// The worker's own children, compilers say, are in its group and go with it.
void end_group(int) { ::kill(0, SIGKILL); }

void die_with_parent() {
  struct sigaction action {};
  action.sa_handler = end_group;
  ::sigaction(SIGTERM, &action, nullptr);
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
}

// What this worker is made of: one of the two.
struct Workshop {
  std::unique_ptr<Backend> backend;
  std::unique_ptr<Compiler> compiler;
  std::unique_ptr<Runner> runner;
};

Result<Workshop> open_workshop(WorkerRole role, const BackendOpener& open) {
  Workshop workshop;
  auto backend = open();
  if (!backend) return std::move(backend).error();
  workshop.backend = std::move(*backend);
  if (role == WorkerRole::compile) {
    auto compiler = workshop.backend->compiler();
    if (!compiler) return std::move(compiler).error();
    workshop.compiler = std::move(*compiler);
  } else {
    auto runner = workshop.backend->runner();
    if (!runner) return std::move(runner).error();
    workshop.runner = std::move(*runner);
  }
  return workshop;
}

template <class Job, class Answer>
Result<std::string> answered(const Result<Job>& job, Answer&& answer) {
  if (!job) return job.error();
  return encode(answer(*job));
}

Result<std::string> answer(Workshop& workshop, const std::string& request) {
  const Result<RequestKind> kind = request_kind(request);
  if (!kind) return kind.error();
  if (*kind == RequestKind::probe)
    return answered(workshop.backend->probe(), [](auto& info) { return info; });
  if (*kind == RequestKind::count)
    return answered(workshop.backend->count(), [](int count) { return count; });
  if (*kind == RequestKind::compile && workshop.compiler) {
    return answered(decode_compile_job(request), [&](auto& job) { return workshop.compiler->compile(job); });
  }
  if (*kind == RequestKind::run && workshop.runner) {
    return answered(decode_run_job(request), [&](auto& job) { return workshop.runner->run(job); });
  }
  if (*kind == RequestKind::playoff && workshop.runner) {
    return answered(decode_playoff_job(request), [&](auto& job) { return workshop.runner->playoff(job); });
  }
  return Error{"a request that this kind of worker does not serve"};
}

}  // namespace

std::string_view worker_role_name(WorkerRole role) { return kRoles[static_cast<std::size_t>(role)].second; }

std::optional<WorkerRole> worker_role_from_name(std::string_view name) {
  for (const auto& [role, role_name] : kRoles) {
    if (role_name == name) return role;
  }
  return std::nullopt;
}

int serve_worker(WorkerRole role, const BackendOpener& open) {
  die_with_parent();
  if (role == WorkerRole::run)
    ::signal(kQuestionSignal, SIG_IGN);      // until there is a runner that knows an answer
  ::fcntl(kChannelFd, F_SETFD, FD_CLOEXEC);  // not for the worker's own children
  Channel channel{FileDescriptor(kChannelFd)};
  set_report_channel(kChannelFd);
  auto send = [&](Frame::Kind kind, std::string_view payload) {
    channel.queue(kind, payload);
    channel.write();
  };

  Result<Workshop> workshop = open_workshop(role, open);
  if (!workshop) {
    send(Frame::Kind::not_ready, workshop.error().message);
    return 1;
  }
  send(Frame::Kind::ready, {});
  while (channel.is_open()) {
    channel.read();
    while (std::optional<Frame> frame = channel.next()) {
      const Result<std::string> reply = answer(*workshop, frame->payload);
      std::fflush(nullptr);  // what a kernel printed is its own, and belongs to this job
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

}  // namespace gktune

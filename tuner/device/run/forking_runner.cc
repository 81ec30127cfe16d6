#include <stdlib.h>
#include <sys/uio.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "tuner/core/files.h"
#include "tuner/core/quantity.h"
#include "tuner/device/run/device_runner.h"
#include "tuner/device/run/told_times.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/device/worker/job.h"
#include "tuner/device/worker/job_process.h"

namespace gktune {
namespace {

// Requests to the process of a fresh execution. Each is answered with a RunReply.
constexpr std::string_view kGetReady = "ready", kExecute = "execute", kSettle = "settle";

// A virtual machine counts time as a thread's that its processor had for others: executions are watched for
// this long before a candidate is blamed.
constexpr double kWatchS = 2;

// For how long a thread worked, and for how long it waited for a processor that had other work.
struct ThreadTimes {
  double work_us = 0, wait_us = 0;
};

// Those of each thread of a process, as the system counts them. Empty: it does not.
std::map<std::string, ThreadTimes> times_of_threads(pid_t pid) {
  std::map<std::string, ThreadTimes> times;
  std::error_code error;
  std::filesystem::directory_iterator at("/proc/" + std::to_string(pid) + "/task", error);
  for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
    std::ifstream file(at->path() / "schedstat");
    if (double work_ns = 0, wait_ns = 0; file >> work_ns >> wait_ns)
      times[at->path().filename()] = {work_ns / 1000, wait_ns / 1000};
  }
  return times;
}

// The most that a thread worked, and the most that one waited, in between.
ThreadTimes most_between(const std::map<std::string, ThreadTimes>& before,
                         const std::map<std::string, ThreadTimes>& after) {
  ThreadTimes most;
  for (const auto& [thread, now] : after) {
    const auto known = before.find(thread);
    const ThreadTimes then = known == before.end() ? ThreadTimes() : known->second;
    most.work_us = std::max(most.work_us, now.work_us - then.work_us);
    most.wait_us = std::max(most.wait_us, now.wait_us - then.wait_us);
  }
  return most;
}

// A folder for the temporary files of the processes of one job, in the folder of the run: they use up no
// space longer than that.
class JobFolder {
 public:
  JobFolder() {
    if (const char* parent = std::getenv(kVariable)) parent_ = parent;
    std::string path = parent_ + "/job-XXXXXX";
    if (parent_.empty() || ::mkdtemp(path.data()) == nullptr) return;
    path_ = std::move(path);
    ::setenv(kVariable, path_.c_str(), 1);
  }
  JobFolder(const JobFolder&) = delete;
  JobFolder& operator=(const JobFolder&) = delete;
  ~JobFolder() {
    if (path_.empty()) return;
    ::setenv(kVariable, parent_.c_str(), 1);
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

 private:
  static constexpr const char* kVariable = "TMPDIR";
  std::string parent_, path_;
};

// Asks the process, which answers with the reply to a job. What a candidate destroys in that process still
// works in this one.
RunReply asked(JobProcess& process, std::string_view request) {
  const auto answer = process.ask(request);
  if (!answer) return reply_of(answer.error());
  auto reply = decode<RunReply>(*answer);
  if (!reply) return reply_of({Status::crashed, reply.error().message});
  reply->worker_is_lost = false;
  return *std::move(reply);
}

Failure failure_of(RunReply reply) {
  return {.status = reply.status,
          .message = std::move(reply.message),
          .worker_is_lost = reply.worker_is_lost,
          .reuses_results = reply.reuses_results};
}

enum class Direction { to_process, from_process };

// Copies between a buffer of this process and an address in another one.
Result<void, Failure> transfer(JobProcess& process, Direction direction, std::span<std::byte> here,
                               std::uintptr_t there) {
  constexpr std::size_t kMost = std::size_t{1} << 30;  // at once
  for (std::size_t done = 0; done < here.size();) {
    const iovec local{here.data() + done, std::min(kMost, here.size() - done)};
    const iovec remote{reinterpret_cast<void*>(there + done), local.iov_len};
    const auto copy = direction == Direction::to_process ? ::process_vm_writev : ::process_vm_readv;
    const ssize_t copied = copy(process.pid(), &local, 1, &remote, 1, 0);
    if (copied < 0 && errno == ESRCH) {  // it has ended: its answer says how
      if (RunReply reply = asked(process, kExecute); !reply.ok()) return failure_of(std::move(reply));
      errno = ESRCH;
    }
    if (copied <= 0) {
      const Status status = errno == EPERM || errno == ENOSYS ? Status::machine_failed : Status::crashed;
      return Failure{
          status, std::string("cannot exchange data with the candidate's process: ") + std::strerror(errno)};
    }
    done += static_cast<std::size_t>(copied);
  }
  return {};
}

std::span<std::byte> contents(const DeviceBuffer& buffer) {
  return {reinterpret_cast<std::byte*>(buffer.address()), buffer.bytes()};
}

class ForkingRunner final : public Runner {
 public:
  explicit ForkingRunner(std::unique_ptr<ComputeDevice> device)
      : runner_(std::move(device), DeviceRunner::Fresh::elsewhere) {
    runner_.fresh().isolate_by([this](const Work& work) { return isolated(work); });
  }

  RunReply run(const RunJob& job) override {
    const auto start = std::chrono::steady_clock::now();
    const JobFolder folder;
    told_.clear();
    RunReply reply = try_job(job);
    processes_.end_all();
    reply.worker_is_lost = false;
    reply.run_s = seconds_since(start);
    reply.preparation = std::exchange(runner_.device().preparation, {});
    return reply;
  }

  std::vector<RunReply> playoff(const PlayoffJob& job) override {
    const JobFolder folder;
    report_phase(Phase::setup);
    std::vector<RunReply> finalists(job.finalists.size());
    play_rounds(job.rounds, finalists, [&](std::size_t i) { return time_finalist(job.finalists[i]); });
    report_phase(Phase::setup);
    finalists.front().preparation = std::exchange(runner_.device().preparation, {});
    for (RunReply& finalist : finalists) finalist.worker_is_lost = false;
    return finalists;
  }

 private:
  RunReply try_job(const RunJob& job) {
    report_phase(Phase::setup);
    const bool is_sanitized = job.plan.candidate.source.instrumentation == Instrumentation::sanitize;
    if (job.plan.runs_apart) return is_sanitized ? run_without_results(job) : run_apart(job);
    if (const auto prepared = prepare(job); !prepared) return reply_of(prepared.error());
    RunReply reply = run_isolated(job);
    if (job.check_only || !may_lead(reply, job.cutoff)) return reply;
    const auto fresh = confirm(job, reply);
    if (fresh) {
      reply.fresh_us = fresh->fastest_us;
      if (!fresh->only_these_count) return reply;
      reply.samples_us = fresh->all_us;
      reply.timing = summarize(reply.samples_us);
      return reply;
    }
    RunReply failed = reply_of(fresh.error());
    failed.resources = reply.resources;
    return failed;
  }

  // Sanitizes a candidate that runs apart: its process must not have the expected outputs, so nothing
  // compares its results.
  RunReply run_without_results(RunJob job) {
    job.plan.reference.steps.clear();
    job.plan.verifier = {};
    job.plan.runs_apart = false;  // there are no expected outputs to hide
    if (const auto prepared = prepare(job); !prepared) return reply_of(prepared.error());
    return run_isolated(job);
  }

  RunReply run_apart(const RunJob& job) {
    RunReply reply;
    if (auto tried = try_apart(job, reply); !tried) reply = reply_of(tried.error(), std::move(reply));
    return reply;
  }

  Result<void, Failure> try_apart(const RunJob& job, RunReply& reply) {
    GKTUNE_TRY(prepare(job));
    const auto time_us = [&] { return time_on_new_inputs(job, FreshProblems::Repeats::allowed); };
    GKTUNE_TRY(runner_.problem().place(Placement::at_start));
    GKTUNE_TRY(time_us());
    GKTUNE_TRY(runner_.problem().place(Placement::at_end));
    return sample_apart(runner_.device(), job, time_us, reply);
  }

  RunReply run_isolated(const RunJob& job) {
    auto process = processes_.start([&](const std::string&) {
      runner_.problem().renew();
      return encode(runner_.run(job));
    });
    return process ? asked(*process, {}) : reply_of(process.error());
  }

  Result<FreshTimes, Failure> confirm(const RunJob& job, RunReply& reply) {
    const auto on_new_inputs = [&] { return time_on_new_inputs(job, FreshProblems::Repeats::never); };
    const auto on_same_inputs = [&] { return time(&FreshProblems::time_on_base, job); };
    const auto known_again = [&]() -> Result<double, Failure> {
      reply = run_isolated(job);
      if (!reply.ok()) return failure_of(reply);
      return reply.timing.median_us;
    };
    return compare_with_fresh(runner_.device().traits(), job.plan.regime, reply.timing.median_us,
                              {on_new_inputs, on_same_inputs, known_again, [&] { return threads_.wait_us; }});
  }

  Result<void, Failure> prepare(const RunJob& job) {
    return runner_.prepare(job, [this](const Work& work) { return isolated(work); });
  }

  Result<double, Failure> time_finalist(const RunJob& job) {
    GKTUNE_TRY(prepare(job));
    const auto begin = std::chrono::steady_clock::now();
    const ToldTimes& told = told_by(job);
    for (;;) {
      auto time_us = GKTUNE_TRY(time_on_new_inputs(job, FreshProblems::Repeats::allowed));
      if (told.count == 0 || told.are_possible()) return time_us;
      if (told.count >= ToldTimes::kLeastExecutions && seconds_since(begin) > kWatchS) return told.failure();
    }
  }

  Result<double, Failure> time_on_new_inputs(const RunJob& job, FreshProblems::Repeats repeats) {
    constexpr bool kKeepsMemory = true;  // in files, for the processes of other candidates
    auto drawn = runner_.fresh().draw_if_met(job, runner_.problem(), 1, kKeepsMemory, repeats);
    return drawn ? time(&FreshProblems::time, job) : drawn.error();
  }

  Result<void, Failure> isolated(const Work& work) {
    auto process = GKTUNE_TRY(processes_.start([&](const std::string&) {
      const auto done = work();
      return encode(done ? RunReply{} : reply_of(done.error()));
    }));
    RunReply reply = asked(process, {});
    reply.worker_is_lost = false;
    if (!reply.ok()) return failure_of(std::move(reply));
    return {};
  }

  // The candidate gets a process that waits for inputs.
  using Method = Result<double, Failure> (FreshProblems::*)(const RunJob&, const FreshProblems::Execute&);
  Result<double, Failure> time(Method method, const RunJob& job) {
    GKTUNE_TRY(runner_.problem().adopt(job.plan.arguments));
    DeviceRunner::Program program;  // in the child
    runner_.problem().permit_results(ForkedAccess::none);
    processes_.end_all();  // what an earlier candidate has left
    auto process = processes_.start([this, &job, &program](const std::string& request) {
      if (request == kExecute) return encode(executed(job, program));
      if (request == kSettle) return encode(settled());
      const auto warm = warmed_up(job, program);
      return encode(warm ? RunReply{} : reply_of(warm.error()));
    });
    runner_.problem().permit_results(ForkedAccess::read);
    if (!process) return process.error();
    report_phase(Phase::setup);
    const RunReply ready = asked(*process, kGetReady);
    if (!ready.ok()) return failure_of(ready);
    return (runner_.fresh().*method)(job, [&](std::span<ProblemBuffers* const> problems) {
      return execute(job, *process, *problems.front());
    });
  }

  // In the child. Executes the candidate on inputs that teach it nothing: all elements are the first one,
  // where the kernel does not follow them.
  Result<void, Failure> warmed_up(const RunJob& job, DeviceRunner::Program& program) {
    runner_.problem().renew();
    program = GKTUNE_TRY(runner_.load(job));
    for (const ProblemBuffers::Passed& passed : runner_.problem().passed()) {
      const std::span<std::byte> all = contents(*passed.buffer);
      if (!passed.is_input || passed.is_structure) continue;
      for (std::size_t i = passed.element_bytes; i < all.size(); ++i) all[i] = all[i - passed.element_bytes];
    }
    report_phase(Phase::check);
    const auto done = runner_.device().run(*program, runner_.problem().memory(), {job.plan.time_limit_s, {}});
    report_phase(Phase::setup);
    return done ? Result<void, Failure>() : done.error();
  }

  // In the child.
  RunReply executed(const RunJob& job, const DeviceRunner::Program& program) {
    ComputeDevice& device = runner_.device();
    const ProblemMemory memory = runner_.problem().memory();
    const bool is_cold = job.plan.regime == Regime::cold;
    const auto time_us =
        device.time_once(program, std::span(&memory, 1), {job.plan.regime, job.plan.time_limit_s, is_cold});
    if (!time_us) return reply_of(time_us.error());
    RunReply reply;
    reply.samples_us = {*time_us};
    return reply;
  }

  // In the child, after an execution. The second digest finds writes after its end.
  RunReply settled() {
    const auto digest = [&] {
      std::uint64_t sum = 0;
      for (const ProblemBuffers::Passed& passed : runner_.problem().passed())
        if (passed.is_written) sum = sum * 31 + *runner_.device().digest(*passed.buffer);
      return sum;
    };
    if (digest() == digest()) return {};
    return reply_of({Status::wrong_result, "its output changes after it has returned"});
  }

  // In the parent, which alone knows the inputs and what they lead to. The candidate's threads and processes
  // rest until it is called.
  Result<double, Failure> execute(const RunJob& job, JobProcess& process, ProblemBuffers& problem) {
    const auto there = runner_.problem().passed(), here = problem.passed();
    process.pause();
    for (std::size_t i = 0; i < here.size(); ++i) {
      GKTUNE_TRY(
          transfer(process, Direction::to_process, contents(*here[i].buffer), there[i].buffer->address()));
    }
    if (job.plan.regime == Regime::cold) runner_.device().prepare_caches({}, Regime::cold);
    const auto before = times_of_threads(process.pid());
    const RunReply reply = asked(process, kExecute);
    threads_ = most_between(before, times_of_threads(process.pid()));
    if (!reply.ok()) return failure_of(reply);
    if (reply.samples_us.size() != 1) return Failure{Status::crashed, "its process tells no time", true};
    // Work that does not count: setup steps, and reading what a hot execution finds in the caches.
    const ProgramPlan& plan = job.plan.candidate;
    if (job.plan.regime == Regime::cold && plan.setup_once.empty() && plan.setup_each.empty())
      told_by(job).add(reply.samples_us.front(), threads_.work_us);
    if (const RunReply settled = asked(process, kSettle); !settled.ok()) return failure_of(settled);
    // Ordinary executions check whether other candidates change their inputs.
    const bool checks_inputs = job.plan.runs_apart;
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (!here[i].is_written && !checks_inputs) continue;
      GKTUNE_TRY(
          transfer(process, Direction::from_process, contents(*here[i].buffer), there[i].buffer->address()));
    }
    return reply.samples_us.front();
  }

  ToldTimes& told_by(const RunJob& job) {
    return told_.try_emplace(job.candidate.path, "in which a thread works for").first->second;
  }

  DeviceRunner runner_;
  JobProcesses processes_;
  ThreadTimes threads_;                          // of the last execution
  std::map<std::string, ToldTimes> told_;        // by the code of candidates, since the last search
};

}  // namespace

std::unique_ptr<Runner> make_forking_runner(std::unique_ptr<ComputeDevice> device) {
  return std::make_unique<ForkingRunner>(std::move(device));
}

}  // namespace gktune

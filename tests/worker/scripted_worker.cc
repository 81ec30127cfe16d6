// A worker process that does what its candidates say. With it, tests of how the parent handles each ending
// take milliseconds. The macro COMPILE of a candidate says how its compilation goes; the macro RUN names its
// module, and the name says how the run goes. A reference has no macros: its source names its module.

#include <sys/prctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <thread>

#include "tests/process/processes.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/measure/statistics.h"
#include "tuner/process/child_process.h"

namespace gktune {
namespace {

std::string macro(const SourcePlan& source, std::string_view name, const std::string& otherwise) {
  for (const auto& [macro_name, value] : source.macros) {
    if (macro_name == name) return value;
  }
  return otherwise;
}

constexpr std::string_view kUnluckyThreads = "13";     // with so many no worker starts
constexpr const char* kCompiling = "gktune-compiles";  // a worker's name while it does
constexpr const char* kRunning = "gktune-runs";

volatile bool spinning = true;

[[noreturn]] void hang() {
  while (true) ::pause();
}

class ScriptedCompiler final : public Compiler {
 public:
  std::vector<CompiledVariant> compile(const CompileJob& job) override {
    std::vector<CompiledVariant> answers;
    for (const SourcePlan& variant : job.variants) {
      const std::string action = macro(variant, "COMPILE", "ok");
      ::prctl(PR_SET_NAME, kCompiling);
      if (action == "hang") hang();
      if (action == "crash") std::raise(SIGILL);
      if (action == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(300));
      if (action == "kill") std::raise(SIGKILL);
      if (action == "grandchild") leave_a_grandchild();
      CompiledVariant& answer = answers.emplace_back();
      answer.seconds = action == "together_slower" && job.variants.size() > 1 ? 2e-6 : 1e-6;
      if (action == "fail" || variant.path == "broken_reference") {
        answer.status = Status::compile_failed;
        answer.log = "error on line 3, batch of " + std::to_string(job.variants.size());
      }
      if (action == "garbage") {
        answer.status = Status::compile_failed;
        answer.log = "line \xff: caf\xc3\xa9\xc3";
      }
      answer.module.path = macro(variant, "RUN", variant.path);
      answer.module.symbols = {std::to_string(job.variants.size())};
    }
    ::prctl(PR_SET_NAME, "gktune-waits");
    return answers;
  }

 private:
  // A child process, such as a compiler starts.
  [[noreturn]] static void leave_a_grandchild() {
    if (::fork() == 0) {
      ::prctl(PR_SET_NAME, "gktune-grand");
      hang();
    }
    hang();
  }
};

class ScriptedRunner final : public Runner {
 public:
  explicit ScriptedRunner(int ordinal) : ordinal_(ordinal) {}

  RunReply run(const RunJob& job) override {
    std::string action = job.candidate.path;
    RunReply reply;
    reply.message = std::to_string(::getpid()) + " batch " + job.candidate.symbols[0] + " device " +
                    std::to_string(ordinal_);
    if (const char* threads = std::getenv("OMP_NUM_THREADS"); threads != nullptr) {
      reply.message += " threads " + std::string(threads);
    }
    if (action == "watch") reply.message = std::to_string(count_children(::getppid(), kCompiling));
    if (action == "at_once") return reply;  // before there is a limit to any phase
    report_phase(Phase::setup);
    if (action == "hang_reference") report_phase(Phase::reference), hang();
    if (action == "crash_reference") report_phase(Phase::reference), std::raise(SIGSEGV);
    if (action == "hang_verifier") report_phase(Phase::verifier), hang();
    if (action == "crash_verifier") report_phase(Phase::verifier), std::raise(SIGSEGV);
    report_phase(Phase::check);
    if (constexpr std::string_view kDoze = "doze_"; action.starts_with(kDoze)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(40));
      action.erase(0, kDoze.size());
    }
    if (constexpr std::string_view kWrite = "write:"; action.starts_with(kWrite)) {
      std::ofstream(action.substr(kWrite.size())) << ::getpid();
    }
    if (action == "hang") hang();
    if (action == "hang_with_an_answer") {
      std::signal(kQuestionSignal, [](int) {
        report_fault(Status::timed_out, "block (1,0,0), kernel.cu:7");
        ::_exit(1);
      });
      hang();
    }
    if (action == "spin") {
      while (spinning) continue;
    }
    if (action == "segv") std::raise(SIGSEGV);
    if (action == "kill") std::raise(SIGKILL);
    if (action == "nap") {
      ::prctl(PR_SET_NAME, kRunning);
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      ::prctl(PR_SET_NAME, "gktune-waits");
    }
    if (action == "abort") {
      std::fprintf(stderr, "first line\nkernel.cu:7: assertion failed\n");
      std::abort();
    }
    if (action == "fpe") std::raise(SIGFPE);
    if (action == "exit") std::exit(3);
    if (action == "fault") {
      report_fault(Status::misaligned_access, "block (1,0,0), thread (2,0,0)");
      std::raise(SIGBUS);
    }
    if (action == "two_faults") {
      report_fault(Status::illegal_access, "the first");
      report_fault(Status::timed_out, "the second");
      std::raise(SIGSEGV);
    }
    if (action == "hang_up") ::close(kChannelFd), hang();
    if (action == "garbage") {
      [[maybe_unused]] const ssize_t written = ::write(kChannelFd, "this is no frame at all", 23);
      hang();
    }
    if (action == "print_briefly") reply.printed = "from the check\n";
    if (action == "print") {
      for (int i = 0; i < 20000; ++i) std::printf("a kernel that says a lot, line %d\n", i);
    }
    if (action == "wrong") reply.status = Status::wrong_result;
    if (action == "lost") reply.status = Status::illegal_access, reply.worker_is_lost = true;
    if (action == "unexplained_write" || action == "unexplained_read") {
      if (job.guards == Guards::hardware) {
        reply.status = Status::illegal_access;
        reply.message = "an illegal access";
        reply.worker_is_lost = reply.is_unexplained = true;
      } else if (action == "unexplained_write") {
        reply.status = Status::guard_violated;
        reply.message = "wrote outside";
      }
    }
    if (!job.check_only) {
      report_phase(Phase::timing);
      if (action == "slow") std::this_thread::sleep_for(std::chrono::milliseconds(300));
      if (action == "long") std::this_thread::sleep_for(std::chrono::seconds(2));
      reply.samples_us = {3, 1, 2};
      reply.timing = summarize(reply.samples_us);
    }
    reply.is_dropped_early = job.cutoff.leader.median_us < 1;
    reply.run_s = 0.002;
    return reply;
  }

  std::vector<RunReply> playoff(const PlayoffJob& job) override {
    std::vector<RunReply> replies;
    for (const RunJob& finalist : job.finalists) {
      const std::string& action = finalist.candidate.path;
      if (action == "segv_before_its_turn") std::raise(SIGSEGV);
      report_turn(replies.size());
      if (action == "segv") std::raise(SIGSEGV);
      if (action == "hang") hang();
      is_lost_ = is_lost_ || action == "lost";
      if (is_lost_) {
        replies.resize(job.finalists.size());
        RunReply& lost = replies[static_cast<std::size_t>(&finalist - job.finalists.data())];
        lost.status = Status::illegal_access;
        lost.worker_is_lost = true;
        return replies;
      }
      double sample = action == "slow" ? 2.0 : 1.0;
      if (action == "watch") sample = static_cast<double>(count_children(::getppid(), kCompiling));
      RunReply& reply = replies.emplace_back();
      if (action == "remembers")
        reply.status = Status::wrong_result;
      else
        reply.samples_us = Samples(static_cast<std::size_t>(job.rounds.count), sample);
    }
    return replies;
  }

 private:
  int ordinal_;
  bool is_lost_ = false;
};

// There are three devices of each kind: two of one model, and one of another.
class ScriptedBackend final : public Backend {
 public:
  ScriptedBackend(int ordinal, bool is_absent) : ordinal_(ordinal), is_absent_(is_absent) {}

  Result<DeviceInfo> probe() override {
    if (is_absent_) return Error{"there is no such device"};
    DeviceInfo info;
    info.kind = "host";
    info.name = ordinal_ < 2 ? "script" : "other script";
    return info;
  }
  Result<int> count() override { return 3; }
  Result<std::unique_ptr<Compiler>> compiler() override { return {std::make_unique<ScriptedCompiler>()}; }
  Result<std::unique_ptr<Runner>> runner() override { return {std::make_unique<ScriptedRunner>(ordinal_)}; }

 private:
  int ordinal_;
  bool is_absent_;
};

}  // namespace
}  // namespace gktune

#ifdef __SANITIZE_ADDRESS__
// Signals end the process as they do without a sanitizer, because the tests look at its end.
extern "C" const char* __asan_default_options() {
  return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0:handle_abort=0";
}
#endif

// scripted_worker FILE KIND ORDINAL ROLE [FLAG VALUE]…: while FILE exists and names the role, no worker of
// that role gets ready; where it names role:ordinal, none of that device.
int main(int argc, char** argv) {
  using namespace gktune;
  if (argc < 5) return 2;
  const auto role = enum_from_name<WorkerRole>(argv[4]);
  if (!role) return 2;
  const int ordinal = std::atoi(argv[3]);
  const char* threads = std::getenv("OMP_NUM_THREADS");
  if (threads != nullptr && threads == kUnluckyThreads) return 2;
  std::string refused;
  std::ifstream(argv[1]) >> refused;
  return serve_worker(*role, [&]() -> Result<std::unique_ptr<Backend>> {
    const bool is_refused = refused == argv[4] || refused == std::string(argv[4]) + ':' + argv[3];
    // A device that cannot be described is still counted.
    if (is_refused && role != WorkerRole::describe) return Error{"there is no such device"};
    return {std::make_unique<ScriptedBackend>(ordinal, is_refused)};
  });
}

#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/failure.h"
#include "tuner/device/worker/channel.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/process/child_process.h"
#include "tuner/process/sandbox.h"

namespace gktune {

// A worker can fork a child for each job: whatever a candidate does to its process ends with
// it. The worker itself runs no candidate, has one thread, and is the parent of all processes
// that its children leave behind.

// This process, its parent, and so on.
std::vector<pid_t> processes_above();

// Says why kFilterSignal ended a process.
inline constexpr const char* kForbiddenCall =
    "started a process, sent SIGKILL to itself, or signalled, traced or accessed a process that is not its "
    "own";

class JobProcess;

class JobProcesses {
 public:
  JobProcesses();
  JobProcesses(const JobProcesses&) = delete;
  JobProcesses& operator=(const JobProcesses&) = delete;
  ~JobProcesses();

  // Forks a child that answers requests. It inherits the memory of this process, and gives
  // nothing back but its answers.
  using Serve = std::function<std::string(const std::string& request)>;
  Result<JobProcess, Failure> start(const Serve& serve);

  // Kills and reaps every process that this one started and those started in turn, whatever
  // group or session they are in.
  static void end_all();

 private:
  friend class JobProcess;
  [[noreturn]] void run_child(FileDescriptor socket, StepClock* clock, const Serve& serve) noexcept;
  [[noreturn]] void end_worker();
  int take_signal();

  FileDescriptor signals_;  // the signals to this process, which are blocked
  sigset_t mask_before_;
  std::vector<pid_t> parents_;  // this process and those above it
  ClosedMemory closed_;
};

class JobProcess {
 public:
  JobProcess(JobProcess&& other) noexcept;
  JobProcess& operator=(JobProcess&&) = delete;
  ~JobProcess();  // kills it

  // Sends the request and waits for the answer. Passes reports of the child on to the worker's parent, and
  // its signals to the child. A child that ends without an answer is reported, and a failure.
  Result<std::string, Failure> ask(std::string_view request);
  // Stops all processes that this worker has started, and what these have started, until the next request.
  void pause();
  pid_t pid() const { return pid_; }

 private:
  friend class JobProcesses;
  struct Unmap {
    void operator()(StepClock* clock) const;
  };
  using SharedClock = std::unique_ptr<StepClock, Unmap>;
  JobProcess(JobProcesses& all, pid_t pid, FileDescriptor socket, FileDescriptor lines, SharedClock clock)
      : all_(&all),
        pid_(pid),
        channel_(std::move(socket)),
        lines_(std::move(lines)),
        clock_(std::move(clock)) {}
  std::optional<std::string> take_answer();
  int watch_steps();
  void answer_for_line();
  ExitStatus end(int signal);

  JobProcesses* all_;
  pid_t pid_;
  Channel channel_;
  // Source lines are found here: the candidate's process may be damaged, or have no right to start programs.
  FileDescriptor lines_;
  std::optional<pid_t> answers_;  // the process that finds one
  SharedClock clock_;
  std::vector<pid_t> paused_;
  std::int64_t reported_ns_ = 0;  // the end of the step that was late
};

}  // namespace gktune

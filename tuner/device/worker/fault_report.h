#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tuner/core/trial.h"
#include "tuner/device/failure.h"
#include "tuner/device/worker/channel.h"

namespace gktune {

// Reports of a worker process about itself. All are safe in a signal handler, and do nothing in a process
// without a parent to report to.

// The parent sends it to a run worker that exceeds its limit. The worker may answer with its place, as a
// fault with the status timed_out.
constexpr int kQuestionSignal = SIGXCPU;

// The parent sends it to a worker whose job has to end. A worker that forks for its jobs lives on.
constexpr int kEndJobSignal = SIGUSR1;

// The phase of a job. Each has its own time limit, which the parent enforces.
enum class Phase : unsigned char { setup, reference, verifier, check, timing };

// The socket to the parent; -1: none.
void set_report_channel(int socket) noexcept;
int report_channel() noexcept;

// Sends a frame as it is. A long payload is cut.
void send_report(Frame::Kind kind, std::string_view payload) noexcept;

void report_phase(Phase phase) noexcept;

// Reports which finalist of a playoff is executed from now on: one that ends the process is to blame.
void report_turn(std::size_t finalist) noexcept;

// The time at which the candidate has to end its present step. A forked process shares it with its parent, which
// looks at it now and then: a report of each step would disturb the timing.
struct StepClock {
  std::atomic<std::int64_t> until_ns{0};  // of the steady clock; 0: between steps
  static std::int64_t now_ns() {
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
  }
};
void set_step_clock(StepClock* clock) noexcept;
// The limit of a step of the present job, in processes that are forked from now on.
void limit_steps(double limit_s) noexcept;
double step_limit_s() noexcept;
// From now on a thread of this process, if it has a parent, reports its own late steps. For candidates that
// share the worker's process.
void watch_own_steps() noexcept;

// While it lives, the candidate's code runs: it is loaded, executed or unloaded.
class BoundedStep {
 public:
  explicit BoundedStep(double more_s = 0) noexcept;
  BoundedStep(const BoundedStep&) = delete;
  BoundedStep& operator=(const BoundedStep&) = delete;
  ~BoundedStep();
};

// Prints faults on standard error from now on. For a process that runs a candidate itself.
void print_faults() noexcept;

// Reports why this process is about to die. A long message is cut.
void report_fault(Status status, std::string_view message) noexcept;
// The report as it arrives at the parent, in a frame of the kind `fault`.
Failure reported_fault(std::string_view payload);

}  // namespace gktune

#pragma once

#include <poll.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gktune/result.h"
#include "tuner/core/device_info.h"
#include "tuner/device/failure.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/channel.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/process/child_process.h"

namespace gktune {

using Clock = std::chrono::steady_clock;

Clock::duration duration_s(double count);
double elapsed_s(Clock::time_point from, Clock::time_point to);

// How to start a worker process: the arguments before <kind> <ordinal> <role>, and its environment.
struct WorkerCommand {
  std::vector<std::string> argv;
  BackendName backend;
  WorkerRole role = WorkerRole::run;
  std::vector<std::pair<std::string, std::string>> environment = {};
  std::string cache_dir = {};  // for the worker's own compiled code; empty: it keeps none
};

// Counts workers in a row that died before they were ready. After three no further one is started.
class StartFailures {
 public:
  explicit StartFailures(std::string prefix) : prefix_(std::move(prefix)) {}
  int count() const { return count_; }
  // Why no worker is started any more; empty: one may be.
  const std::string& error() const { return error_; }
  void note(const std::string& message) {
    if (++count_ >= kMost) error_ = prefix_ + message;
  }
  void give_up(std::string error) { error_ = std::move(error); }
  // A worker got ready.
  void forget() { count_ = 0; }

 private:
  static constexpr int kMost = 3;
  std::string prefix_, error_;
  int count_ = 0;
};

// A worker process as its parent sees it: it gets ready, works on one request at a time, answers or dies.
class Worker {
 public:
  enum class State { starting, idle, busy, dead };

  // Time limits of the phases of a job. A job that reports no phase has their sum.
  struct Limits {
    double setup_s = 0, reference_s = 0, check_s = 0, timing_s = 0;
    double report_s = 0;  // added to each, so that the worker can report a fault or its place
    double of(Phase phase) const;
    double total() const { return setup_s + reference_s + check_s + timing_s; }
  };

  static Result<Worker> start(const WorkerCommand& command);

  State state() const { return state_; }
  // A busy worker takes one request ahead. It begins that one without waiting for its parent; its limits hold
  // from the moment when the reply to the present one is taken.
  void send(const std::string& request, const Limits& limits);
  // The reply, once. advance() reads nothing beyond a reply that has not been taken.
  std::optional<std::string> take_reply();
  bool has_reply() const { return reply_.has_value(); }
  // How a job ended without an answer.
  struct JobEnd {
    Failure failure;  // as its trial will say
    // Another process or the system killed it: that says nothing about the job.
    bool is_from_outside = false;
    std::optional<std::size_t> finalist = {};  // of a playoff: whose turn it was
  };
  // The end of the job that the worker died with.
  const JobEnd& death() const { return death_; }
  // The end of the process that the worker forked for the last job. Returned once.
  std::optional<JobEnd> take_job_end() { return std::exchange(job_end_, std::nullopt); }
  // The hardware as a run worker found it. Empty before it is ready.
  const std::optional<DeviceInfo>& device() const { return device_; }
  // Time on its job.
  double busy_s(Clock::time_point now) const { return elapsed_s(busy_since_, now); }

  void add_to(std::vector<pollfd>& descriptors) const;
  // Call advance() by then even if nothing arrives.
  Clock::time_point deadline() const;
  // Reads and writes, and enforces the limits.
  void advance(Clock::time_point now);
  // advance() will see it die.
  void kill();
  // Tells it to end, and does not wait for that. Its destructor does.
  void leave() const { process_.signal_alone(SIGTERM); }

 private:
  explicit Worker(ChildProcess process) : process_(std::move(process)), channel_(process_.take_socket()) {}

  void begin(const Limits& limits);
  void take(const Frame& frame, Clock::time_point now);
  void allow(double limit_s, Clock::time_point now);
  void end_late(Clock::time_point now);
  std::string overstay_message() const;
  void end_flood();
  Failure cause_of(const ExitStatus& exit_status) const;
  JobEnd job_end(const ExitStatus& exit_status) const;

  ChildProcess process_;
  Channel channel_;
  State state_ = State::starting;
  std::optional<DeviceInfo> device_;
  std::optional<Phase> phase_;       // of the current job, if one was reported
  std::optional<std::size_t> turn_;  // the finalist of a playoff that is executed
  Limits limits_;
  std::optional<Limits> ahead_;  // of the request that was sent ahead
  double limit_s_ = 0;           // of the phase
  std::optional<Clock::time_point> limit_;
  Clock::time_point busy_since_;
  std::optional<std::string> reply_;
  std::optional<Failure> fault_;  // its own report
  bool was_asked_ = false;        // where it is, after its limit
  bool is_step_late_ = false;     // the limit is that of one execution
  bool overstayed_ = false;
  bool was_killed_ = false;  // by this process
  std::optional<JobEnd> job_end_;
  JobEnd death_;
};

}  // namespace gktune

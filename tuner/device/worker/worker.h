#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/core/trial.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/channel.h"
#include "tuner/device/worker/child_process.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/device/worker/serve_worker.h"

namespace gktune {

using Clock = std::chrono::steady_clock;

Clock::duration duration_s(double count);
double elapsed_s(Clock::time_point from, Clock::time_point to);

// How to start a worker process: the words before <kind> <ordinal> <role>, and its surroundings.
struct WorkerCommand {
  std::vector<std::string> argv;
  BackendName backend;
  WorkerRole role = WorkerRole::run;
  std::vector<std::pair<std::string, std::string>> environment;
};

// How a worker ended, in the terms of the trial that it took with it.
struct Death {
  Status status = Status::crashed;
  std::string message;
};

// So many in a row, and no more are tried.
inline constexpr int kMostFailedStarts = 3;

// A worker process as its parent sees it: it gets ready, takes one request at a time, answers or dies.
class Worker {
 public:
  enum class State { starting, idle, busy, dead };

  // Each phase of a job may take so long; a job that names no phase has them all.
  struct Limits {
    double setup_s = 0, reference_s = 0, check_s = 0, timing_s = 0;
    double telling_s =
        0;  // on top of each, for the worker to tell of a fault, or where it is when it is asked
    double of(Phase phase) const;
    double total() const { return setup_s + reference_s + check_s + timing_s; }
  };

  static Result<Worker> start(const WorkerCommand& command);

  State state() const { return state_; }
  // Asks for an idle worker.
  void send(const std::string& request, const Limits& limits);
  // Once, when it is idle again.
  std::optional<std::string> take_reply() { return std::exchange(reply_, std::nullopt); }
  const Death& death() const { return death_; }
  // Of the job that it has, or died of; nothing: it named none.
  std::optional<Phase> phase() const { return phase_; }
  // Whether it ever got ready.
  bool was_ready() const { return was_ready_; }
  // How long it has had its job, pauses left out.
  double busy_s(Clock::time_point now) const { return elapsed_s(busy_since_, paused_.value_or(now)); }

  void add_to(std::vector<pollfd>& descriptors) const;
  // When advance() has to be called even if nothing arrives.
  Clock::time_point deadline() const;
  // Reads, writes and ends what overstays.
  void advance(Clock::time_point now);
  // Ends it the hard way; advance() sees it die.
  void kill();

  // Holds the process and its children still; the time does not count against its limits.
  void pause(Clock::time_point now);
  void resume(Clock::time_point now);

 private:
  explicit Worker(ChildProcess process) : process_(std::move(process)), channel_(process_.take_socket()) {}

  void take(const Frame& frame, Clock::time_point now);
  void allow(double limit_s, Clock::time_point now);
  void die(Status status, std::string message);
  void end_late(Clock::time_point now);
  std::string overstay_message() const;
  Death cause_of(const Ending& ending) const;

  ChildProcess process_;
  Channel channel_;
  State state_ = State::starting;
  bool was_ready_ = false;
  std::optional<Phase> phase_;
  Limits limits_;
  double limit_s_ = 0;  // of the phase
  std::optional<Clock::time_point> limit_;
  std::optional<Clock::time_point> paused_;
  Clock::time_point busy_since_;  // moved later by each pause
  std::optional<std::string> reply_;
  std::optional<Death> fault_;  // its own words
  bool asked_ = false;          // where it is, since its limit is over
  bool overstayed_ = false;
  Death death_;
};

}  // namespace gktune

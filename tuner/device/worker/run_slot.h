#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/worker/worker.h"

namespace gktune {

// One device: the worker that uses it, and one in reserve that takes over when the first dies. It runs one
// job at a time; the worker may have the next one already, which it begins without waiting for this process.
// Workers start when they are needed; the reserve is needed once a worker has died: to start one disturbs
// what the device times, and most runs need none.
class RunSlot {
 public:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  struct Job {
    std::uint64_t id = 0;
    std::string request;
    Worker::Limits limits;
    Environment environment;  // of the worker
    int attempts = 0;         // that something outside ended
  };

  // The reply; or how the worker ended, or the process that it forked for the job. machine_failed: each
  // attempt was killed from outside, which says nothing about the candidate.
  using Outcome = Result<std::string, Failure>;

  struct Finished {
    std::uint64_t id = 0;
    Outcome outcome;
    double seconds = 0;
    bool never_ran = false;  // no worker gets ready
    std::optional<std::size_t> finalist = {};  // that ended it, if it is known
  };

  // A worker that finds a device of another model is refused.
  RunSlot(WorkerCommand command, DeviceInfo expected)
      : command_(std::move(command)), expected_(std::move(expected)) {}

  // Take all results first.
  bool is_free() const { return jobs_.empty() && finished_.empty(); }
  // True if the worker can have a job for that environment ahead of the end of the present one.
  bool takes_ahead(const Environment& environment) const {
    return sent_ == 1 && jobs_.size() == 1 && environment == command_.environment;
  }
  // No worker gets ready any more.
  bool is_broken() const { return !active_ && !starts_.error().empty(); }
  // Starts a worker ahead of the first job.
  void get_ready();
  // The slot is free, or takes the job ahead.
  void start(Job job);
  std::optional<Finished> take_finished();
  // Hands over to the next worker, with a job that was sent ahead.
  void replace_worker();
  // Drops all jobs and the worker that has them.
  void abandon();
  // Tells all workers to end, and does not wait for that.
  void leave() const;

  void add_to(std::vector<pollfd>& descriptors) const;
  Clock::time_point deadline() const;
  void advance(Clock::time_point now);

  double busy_s() const { return busy_s_; }

 private:
  std::optional<Worker> started();
  void ensure_worker();
  void ensure_reserve();
  void drop_workers();
  void refuse_other_model();
  void send_when_ready();
  void take_replies(Clock::time_point now);
  void bury_active(Clock::time_point now);
  bool try_again(const Worker::JobEnd& end);
  Failure cause_of(const Worker::JobEnd& end);
  // The present job.
  void finish(Outcome outcome, double seconds);
  void finish(const Worker::JobEnd& end, double seconds);

  WorkerCommand command_;  // with the environment of the present workers
  DeviceInfo expected_;
  std::optional<Worker> active_, reserve_;
  std::vector<Worker> leaving_;  // killed; with a lost context that takes a while
  bool wants_reserve_ = false;   // a worker has died
  static constexpr const char* kNoWorker = "no worker can be started: ";
  StartFailures starts_{kNoWorker};
  std::deque<Job> jobs_;  // the present one, then one that is sent ahead
  std::size_t sent_ = 0;  // of them, to the active worker
  std::deque<Finished> finished_;
  double busy_s_ = 0;
};

}  // namespace gktune

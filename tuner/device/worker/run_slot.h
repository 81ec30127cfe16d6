#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "tuner/device/worker/worker.h"

namespace gktune {

// One piece of hardware: the worker that runs on it, and one in reserve that takes over when the first one
// dies. It has one job at a time.
class RunSlot {
 public:
  using Environment = std::vector<std::pair<std::string, std::string>>;

  struct Job {
    std::uint64_t id = 0;
    std::string request;
    Worker::Limits limits;
    Environment environment;  // which the worker has to have been started with
  };

  // There was nobody to do the job, and will not be.
  struct NoWorker {
    std::string message;
  };
  using Outcome = std::variant<std::string, Death, NoWorker>;  // the reply, or how the worker ended

  struct Finished {
    std::uint64_t id = 0;
    Outcome outcome;
    double seconds = 0;
  };

  explicit RunSlot(WorkerCommand command) : command_(std::move(command)) {}
  // With a worker that is up already.
  RunSlot(WorkerCommand command, Worker worker) : command_(std::move(command)), active_(std::move(worker)) {}

  // What was done last has to be taken first.
  bool is_free() const { return !job_ && !finished_; }
  // No worker of this hardware gets ready any more: it does no job.
  bool is_broken() const { return !active_ && !broken_.empty(); }
  void start(Job job);
  std::optional<Finished> take_finished() { return std::exchange(finished_, std::nullopt); }
  // The worker can run nothing more: the next one takes over.
  void replace_worker();
  // Something is being timed there at this moment.
  bool is_timing() const;

  void add_to(std::vector<pollfd>& descriptors) const;
  Clock::time_point deadline() const;
  void advance(Clock::time_point now);

  double busy_s() const { return busy_s_; }

 private:
  std::optional<Worker> started();
  void ensure_workers();
  void send_when_ready();
  void worker_failed(const std::string& message);
  void finish(Outcome outcome, double seconds);

  WorkerCommand command_;  // its environment is that of the workers there are
  std::optional<Worker> active_, spare_;
  std::vector<Worker> leaving_;  // killed: one with a lost context takes its time to go, and nobody waits
  std::optional<Job> job_;
  bool sent_ = false;
  std::optional<Finished> finished_;
  int failures_ = 0;  // workers in a row that ended before they had done anything
  std::string broken_;
  double busy_s_ = 0;
};

}  // namespace gktune

#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tuner/device/worker/job.h"
#include "tuner/device/worker/worker.h"

namespace gktune {

// Compile workers, and the sources that wait for them. Sources that share their text are compiled together;
// those that fail together are compiled again alone, so that each has its own log, and the one that hangs or
// crashes the compiler is found.
class CompilePool {
 public:
  struct Options {
    WorkerCommand command;
    int jobs = 1;   // how many workers at most
    int batch = 1;  // how many sources at most in one job
    double time_limit_s = 60;
    std::string architecture;
    std::string cache_dir;
    Instrumentation instrumentation = Instrumentation::none;
  };

  struct Finished {
    std::uint64_t id = 0;
    CompiledVariant variant;  // its status may also be compile_timed_out or crashed
  };

  explicit CompilePool(Options options) : options_(std::move(options)), batch_limit_(options_.batch) {}

  void add(std::uint64_t id, SourcePlan source);
  // Nothing comes of it. A worker that has nothing else is ended, so that it disturbs no timing.
  void withdraw(std::uint64_t id, Clock::time_point now);
  std::vector<Finished> take_finished() { return std::exchange(finished_, {}); }

  // Whether to start jobs that are smaller than they might become.
  enum class Haste { wait_for_full_batches, start_what_is_there };
  void dispatch(Haste haste);
  void add_to(std::vector<pollfd>& descriptors) const;
  Clock::time_point deadline() const;
  void advance(Clock::time_point now);

  // While something is being timed.
  void pause(Clock::time_point now);
  void resume(Clock::time_point now);

  // Of all workers together.
  double busy_s() const { return busy_s_; }

 private:
  struct Task {
    std::uint64_t id = 0;
    SourcePlan source;
    bool alone = false;
    bool withdrawn = false;
  };

  // A worker and the job that it has.
  struct Bench {
    Worker worker;
    std::vector<Task> batch;
  };

  void start_worker();
  Bench* idle_bench();
  std::size_t starting() const;
  std::vector<Task> next_batch(Haste haste);
  void finish_job(Bench& bench, const std::string& reply, double busy_s);
  void take_apart(Bench& bench);
  void try_alone(Task task);
  void worker_failed(const std::string& message);
  void fail_all();

  Options options_;
  int batch_limit_;
  std::deque<Task> queue_;
  std::vector<Bench> benches_;
  std::vector<Finished> finished_;
  int failures_ = 0;    // workers in a row that ended before they had done anything
  std::string broken_;  // why no worker can be started
  bool paused_ = false;
  double busy_s_ = 0;
};

}  // namespace gktune

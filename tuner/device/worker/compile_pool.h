#pragma once

#include <cstdint>
#include <deque>
#include <limits>
#include <string>
#include <vector>

#include "tuner/device/worker/job.h"
#include "tuner/device/worker/worker.h"

namespace gktune {

// Compile workers and the queue of sources. The first sources of a text are compiled alone, so that the
// hardware has work soon; then several together, which goes on if it takes less time a source. A job has at
// most twice as many as one that has ended: if all workers began with many at once, the hardware would get
// nothing until they end. If they fail together, each is compiled alone, which gives it its own log and finds
// the one that hangs or crashes the compiler.
class CompilePool {
 public:
  struct Options {
    WorkerCommand command;
    int jobs = 1;   // most workers
    int batch = 1;  // most sources in one job
    double time_limit_s = 60;
    CompileJob job = {};  // each job without its variants
  };

  struct Finished {
    std::uint64_t id = 0;
    CompiledVariant variant;  // its status may also be compile_timed_out, crashed or machine_failed
  };

  explicit CompilePool(Options options) : options_(std::move(options)), batch_limit_(options_.batch) {}
  // The most sources of this text that the next job takes.
  std::size_t batch_of(const SourcePlan& source) const;

  // A source that waits or is being compiled is compiled once for all who add it.
  void add(std::uint64_t id, SourcePlan source);
  // Drops the source. A worker that has nothing else is killed, so that it disturbs no timing.
  void withdraw(std::uint64_t id, Clock::time_point now);
  std::vector<Finished> take_finished() { return std::exchange(finished_, {}); }

  // Start small jobs now, or wait for more sources of the same text.
  enum class Haste { wait_for_full_batches, start_what_is_there };
  void dispatch(Haste haste, std::size_t most_busy = std::numeric_limits<std::size_t>::max());
  void add_to(std::vector<pollfd>& descriptors) const;
  Clock::time_point deadline() const;
  void advance(Clock::time_point now);

  bool is_busy() const { return workers_that_are(Worker::State::busy) > 0; }
  // Tells all workers to end, and does not wait for that.
  void leave() const;
  // The sum over all workers.
  double busy_s() const { return busy_s_; }

 private:
  struct Task {
    std::vector<std::uint64_t> ids;  // of those who added the source, without those who withdrew it
    SourcePlan source;
    bool alone = false;
    int attempts = 0;  // that something outside ended
    bool is_withdrawn() const { return ids.empty(); }
  };

  // A worker and the job that it has.
  struct Slot {
    Worker worker;
    std::vector<Task> batch;
    bool has_compiled = false;  // the first job takes longer, whatever it is
  };

  // The time of one source of a text, compiled alone and together with others.
  struct Cost {
    SourcePlan model;  // any source of the text
    double alone_s = 0, together_s = 0;
    int alone = 0, together = 0;  // sources
    std::size_t largest = 1;      // job, in sources
  };

  void note_cost(Slot& slot, const std::vector<Task>& batch, const std::vector<CompiledVariant>& variants);
  void start_worker();
  Slot* idle_slot();
  std::size_t workers_that_are(Worker::State state) const;
  std::vector<Task> next_batch(Haste haste);
  void finish_job(Slot& slot, const std::string& reply, double busy_s);
  void take_apart(Slot& slot);
  Task* find(const SourcePlan& source);
  void finish(const Task& task, CompiledVariant variant);
  void try_again(Task task);
  void try_alone(Task task);
  void fail_all();

  Options options_;
  int batch_limit_;
  std::deque<Task> queue_;
  std::vector<Slot> slots_;
  std::vector<Cost> costs_;
  std::vector<Finished> finished_;
  StartFailures starts_{"no compile worker can be started: "};
  double busy_s_ = 0;
};

}  // namespace gktune

#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "tuner/device/host/cache_sweep.h"
#include "tuner/device/host/executor.h"
#include "tuner/device/host/fault_handler.h"
#include "tuner/device/host/memory_watch.h"
#include "tuner/device/host/problem_buffers.h"
#include "tuner/device/host/program.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/cores.h"
#include "tuner/device/worker/job.h"

namespace gktune {

// Checks and times compiled kernels on this machine's processor, in this process. What dies of it is the
// process; its last words go to the parent.
class HostRunner final : public Runner {
 public:
  explicit HostRunner(std::size_t cache_bytes);

  RunReply run(const RunJob& job) override;
  std::vector<Samples> playoff(const PlayoffJob& job) override;

 private:
  // Runs instrumented code, block by block.
  struct WatchedExecutor {
    MemoryWatch watch;
    Executor executor{{.threads = 1, .watch = &watch}};
  };

  Executor& executor() { return watched_ ? watched_->executor : executor_; }
  // While it lives, this thread keeps to the first core, the one that the executor leaves to it, if that is
  // what the program's timing asks for.
  std::optional<PinnedHere> pinned_for(const Program& program) const;
  Result<void, Fault> execute(const Program& program);
  Result<void, Fault> prepare(const RunJob& job);
  Result<void, Fault> run_reference(const RunJob& job);
  std::optional<Fault> check(const Program& program, const RunJob& job);
  std::optional<Fault> checked_run(const Program& program);
  std::optional<Fault> time(const Program& program, const RunJob& job, RunReply& reply);
  // Of one execution of all steps, from caches in that state.
  Result<double, Fault> sample_us(const Program& program, Regime regime, int executions);
  int executions_per_sample(const Program& program, Regime regime);

  FaultStack fault_stack_;
  std::vector<int> cores_;
  Executor executor_;
  std::unique_ptr<WatchedExecutor> watched_;  // where the job's code is instrumented
  CacheSweep sweep_;
  // The problem of the last job, which the next one often shares.
  std::optional<ProblemBuffers> buffers_;
  ProgramPlan reference_plan_;
  Module reference_;
};

}  // namespace gktune

#pragma once

#include <memory>
#include <vector>

#include "tuner/device/run/device_runner.h"
#include "tuner/device/worker/backend.h"
#include "tuner/device/worker/job_process.h"

namespace gktune {

// Runs each candidate, and the reference, in a child of its own. The children inherit the inputs and expected
// outputs of the problem, which this process prepares once. For devices whose state is that of the process.
class ForkingRunner final : public Runner {
 public:
  // The device has started no thread.
  explicit ForkingRunner(std::unique_ptr<ComputeDevice> device) : runner_(std::move(device)) {}

  RunReply run(const RunJob& job) override;
  std::vector<Samples> playoff(const PlayoffJob& job) override;

 private:
  RunReply try_job(const RunJob& job);
  Result<void, Failure> prepare(const RunJob& job);
  std::size_t most_finalists();
  void play(std::span<const RunJob> finalists, Rounds rounds, std::span<Samples> samples);
  Result<JobProcess, Failure> start_finalist(const RunJob& job);

  DeviceRunner runner_;
  JobProcesses processes_;
};

}  // namespace gktune

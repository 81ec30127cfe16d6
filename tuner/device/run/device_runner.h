#pragma once

#include <memory>
#include <vector>

#include "tuner/device/run/compute_device.h"
#include "tuner/device/run/problem_buffers.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// Checks, times and plays off candidates on any device: the one protocol of all backends.
class DeviceRunner final : public Runner {
 public:
  explicit DeviceRunner(std::unique_ptr<ComputeDevice> device) : device_(std::move(device)) {}

  RunReply run(const RunJob& job) override;
  std::vector<Samples> playoff(const PlayoffJob& job) override;

  // Prepares the buffers of the job's problem. Keeps those of the last job if the problem is the same.
  Result<void, Failure> prepare(const RunJob& job, const Isolate& isolate);
  // Nothing before prepare().
  ProblemBuffers* problem() { return problem_.get(); }
  ComputeDevice& device() { return *device_; }
  // Loads, checks and warms up a candidate.
  Result<std::unique_ptr<Sampler>, Failure> warm_sampler(const RunJob& job);

 private:
  using Program = std::shared_ptr<const LoadedProgram>;

  Result<void, Failure> try_candidate(const RunJob& job, RunReply& reply);
  Result<void, Failure> check_and_capture(const RunJob& job, const LoadedProgram& program, RunReply& reply);
  Result<Program, Failure> load(const RunJob& job);
  // The same, and adopts the candidate's own sizes. The reference runs in this process.
  Result<void, Failure> prepare(const RunJob& job);
  Result<void, Failure> check(const RunJob& job, const LoadedProgram& program);
  Result<void, Failure> check_once(const RunJob& job, const LoadedProgram& program);
  Result<void, Failure> time(const RunJob& job, const Program& program, RunReply& reply);
  Result<void, Failure> take_samples(const RunJob& job, Sampler& sampler, RunReply& reply);
  // Drops buffers that a failed candidate has damaged. True: it has.
  bool drop_damaged_buffers();

  std::unique_ptr<ComputeDevice> device_;
  std::unique_ptr<ProblemBuffers> problem_;
};

}  // namespace gktune

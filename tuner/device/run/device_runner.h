#pragma once

#include <memory>
#include <vector>

#include "tuner/device/run/compute_device.h"
#include "tuner/device/run/problem_buffers.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// Takes what the process writes to its standard output, or to its standard error too, while this object
// lives. In the end it passes that on to the real output. It keeps a bounded
// amount and drops the rest.
class CapturedOutput {
 public:
  enum class Streams { output, output_and_errors };

  explicit CapturedOutput(Streams streams);
  CapturedOutput(const CapturedOutput&) = delete;
  CapturedOutput& operator=(const CapturedOutput&) = delete;
  ~CapturedOutput();

  std::string text() const;

 private:
  int file_ = -1;            // in memory
  int saved_[2] = {-1, -1};  // copies of descriptors 1 and 2
};

// Checks, times and plays off candidates on any device: the one protocol of all backends.
class DeviceRunner final : public Runner {
 public:
  explicit DeviceRunner(std::unique_ptr<ComputeDevice> device) : device_(std::move(device)) {}

  RunReply run(const RunJob& job) override;
  std::vector<Samples> playoff(const PlayoffJob& job) override;
  // Executes the candidate this many times, and checks and times each execution. A device without timers
  // gives the system's time.
  RunReply execute(const RunJob& job, int runs);

  // Prepares the buffers of the job's problem. Keeps those of the last job if the problem is the same.
  Result<void, Failure> prepare(const RunJob& job, const Isolate& isolate);
  // Prepares the problem with inputs from other seeds, where any input has one and there is room.
  Result<void, Failure> prepare_other(const RunJob& job, const Isolate& isolate);
  // See ProblemBuffers::renew.
  void renew();
  // The memory that each process needs beside what it shares with the one that prepared the buffers.
  std::uint64_t own_bytes() const;
  ComputeDevice& device() { return *device_; }
  // Loads, checks and warms up a candidate.
  Result<std::unique_ptr<Sampler>, Failure> warm_sampler(const RunJob& job);

 private:
  using Program = std::shared_ptr<const LoadedProgram>;

  Result<void, Failure> try_candidate(const RunJob& job, RunReply& reply);
  Result<void, Failure> try_executions(const RunJob& job, int runs, RunReply& reply);
  Result<Program, Failure> load(const RunJob& job);
  // The same, and adopts the candidate's own sizes. The reference runs in this process.
  Result<void, Failure> prepare(const RunJob& job);
  // Stores in `printed` what the first execution prints.
  Result<void, Failure> check(const RunJob& job, const LoadedProgram& program, std::string& printed);
  Result<void, Failure> check_executions(const RunJob& job, const LoadedProgram& program,
                                         std::string& printed);
  Result<void, Failure> check_and_capture(const LoadedProgram& program, const LaunchOptions& options,
                                          std::string& printed);
  Result<void, Failure> time(const RunJob& job, const Program& program, RunReply& reply);
  // A sampler whose program is warm. Its first sample is the second check, where the device times that.
  Result<std::unique_ptr<Sampler>, Failure> checked_sampler(const RunJob& job, const Program& program);
  bool times_second_check(const RunJob& job) const;
  // `execution_us`: of an execution before; 0: unknown.
  Result<void, Failure> take_samples(const RunJob& job, Sampler& sampler, double execution_us,
                                     RunReply& reply);
  // True if the candidate is faster than the best one so far.
  bool may_lead(const RunReply& reply, const Cutoff& cutoff) const;
  // Loads a candidate and makes all checks.
  Result<Program, Failure> checked_finalist(const RunJob& job);
  // Executes a candidate that may win on inputs that it has not met, and compares outputs and times.
  Result<void, Failure> check_on_other_inputs(const RunJob& job, const Program& program, double median_us);
  // The job's problem with inputs from other seeds. Null: no input has a seed, or there is no room.
  Result<ProblemBuffers*, Failure> other_problem(const RunJob& job);
  // Drops buffers that a failed candidate has damaged. True: it has.
  bool drop_damaged_buffers();

  std::unique_ptr<ComputeDevice> device_;
  std::unique_ptr<ProblemBuffers> problem_;
  std::unique_ptr<ProblemBuffers> other_problem_;
  bool has_no_other_ = false;  // it could not be made
};

// Runs each candidate, and the reference, in a child of its own. The children inherit the inputs and expected
// outputs of the problem, which this process prepares once. For devices whose state is that of the process.
// The device has started no thread.
std::unique_ptr<Runner> make_forking_runner(std::unique_ptr<ComputeDevice> device);

}  // namespace gktune

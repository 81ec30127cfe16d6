#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tuner/device/run/compute_device.h"
#include "tuner/device/run/fresh_problems.h"
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

// True if the trial is faster than the best one so far.
bool may_lead(const RunReply& reply, const Cutoff& cutoff);

// The time of an execution.
using TimeTrial = std::function<Result<double, Failure>()>;
struct FreshComparison {
  // Of fresh executions, on new inputs and on those that others met. Null: the latter say nothing.
  TimeTrial on_new_inputs, on_same_inputs;
  TimeTrial known_again;  // times the candidate as before; the trial has this time from now on
  // For how long a thread of the last execution waited for a processor. Null: they do not wait.
  std::function<double()> wait_us;
};
struct FreshTimes {  // on new inputs
  double fastest_us;
  std::vector<double> all_us;
  // The processors were so busy that these cannot be compared with other times. A candidate may want that.
  bool only_these_count = false;
};
// A failure: fresh executions are slower than `known_us`, the time of a candidate that may know of others, by
// more than noise, other inputs, waits for a processor and a change of the machine since then explain.
Result<FreshTimes, Failure> compare_with_fresh(const DeviceTraits& traits, Regime regime, double known_us,
                                               const FreshComparison& time);

// Checks and samples a candidate that runs apart. All its executions are fresh: `time_us` makes one.
Result<void, Failure> sample_apart(ComputeDevice& device, const RunJob& job, const TimeTrial& time_us,
                                   RunReply& reply);

RunReply reply_of(const Failure& failure, RunReply reply = {});
// Times those finalists in turn that have not failed, and adds their samples. One that fails leaves the
// playoff; the loss of the worker ends it.
void play_rounds(Rounds rounds, std::vector<RunReply>& finalists,
                 const std::function<Result<double, Failure>(std::size_t finalist)>& time_us);

// Checks, times and plays off candidates on any device: the one protocol of all backends.
class DeviceRunner final : public Runner {
 public:
  // Whether it makes the fresh executions of candidates that may lead.
  enum class Fresh { here, elsewhere };

  explicit DeviceRunner(std::unique_ptr<ComputeDevice> device, Fresh fresh = Fresh::here)
      : device_(std::move(device)), confirms_(fresh == Fresh::here), fresh_(*device_) {}

  RunReply run(const RunJob& job) override;
  std::vector<RunReply> playoff(const PlayoffJob& job) override;
  // Executes the candidate this many times, and checks and times each execution. A device without timers
  // gives the system's time.
  RunReply execute(const RunJob& job, int runs);

  // Prepares the buffers of the job's problem. Keeps those of the last job if the problem is the same.
  Result<void, Failure> prepare(const RunJob& job, const Isolate& isolate);
  ComputeDevice& device() { return *device_; }
  ProblemBuffers& problem() { return *problem_; }
  FreshProblems& fresh() { return fresh_; }
  using Program = std::shared_ptr<const LoadedProgram>;
  Result<Program, Failure> load(const RunJob& job);

 private:
  Result<void, Failure> try_candidate(const RunJob& job, RunReply& reply);
  Result<void, Failure> try_executions(const RunJob& job, int runs, RunReply& reply);
  // Prepares the problem, and adopts the candidate's own sizes. The reference runs in this process.
  Result<void, Failure> prepare(const RunJob& job);
  // Stores in `printed` what the first execution prints.
  Result<void, Failure> check(const RunJob& job, const LoadedProgram& program, std::string& printed);
  Result<void, Failure> check_executions(const RunJob& job, const LoadedProgram& program,
                                         std::string& printed);
  Result<void, Failure> check_and_capture(const LoadedProgram& program, const LaunchOptions& options,
                                          std::string& printed);
  Result<void, Failure> time(const RunJob& job, const Program& program, RunReply& reply);
  Result<double, Failure> time_apart(const RunJob& job);
  // A sampler whose program is warm. Its first sample is the second check, where the device times that.
  Result<std::unique_ptr<Sampler>, Failure> checked_sampler(const RunJob& job, const Program& program);
  bool times_second_check(const RunJob& job) const;
  // Loads a candidate and makes all checks.
  Result<Program, Failure> checked_finalist(const RunJob& job);
  // The time of a fresh execution of a finalist on this many problems.
  Result<double, Failure> time_finalist(const RunJob& job, std::size_t at_once);
  // Checks an execution after the samples, for candidates that stop to write, or write elsewhere.
  Result<void, Failure> check_last(const RunJob& job, const Program& program);
  // Makes fresh executions of a candidate that may win. Returns their time.
  Result<double, Failure> confirm(const RunJob& job, const Program& program, double known_us,
                                  const TimeTrial& known_again);
  std::size_t problems_at_once(const RunJob& job, const LoadedProgram& program, double execution_us) const;
  FreshProblems::Execute executing(const RunJob& job, const Program& program);
  // Drops buffers that a failed candidate has damaged. True: it has.
  bool drop_damaged_buffers();
  void drop_problem();

  std::unique_ptr<ComputeDevice> device_;
  bool confirms_;
  std::unique_ptr<ProblemBuffers> problem_;
  FreshProblems fresh_;
  // The processes of candidates that ran apart, the last one last.
  struct Apart {
    Module candidate;
    std::vector<ArgumentPlan> arguments;
    ProgramPlan program;
    std::unique_ptr<ApartProcess> process;
  };
  std::vector<Apart> apart_;
};

// Runs each candidate, and the reference, in a child of its own. The children inherit the inputs and expected
// outputs of the problem, which this process prepares once. For devices whose state is that of the process.
// The device has started no thread.
std::unique_ptr<Runner> make_forking_runner(std::unique_ptr<ComputeDevice> device);

}  // namespace gktune

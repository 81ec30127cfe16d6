#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/run/compute_device.h"
#include "tuner/device/worker/fault_report.h"
#include "tuner/device/worker/job.h"

namespace gktune {

// The buffers of one problem: inputs as the plan says, outputs with the results of the reference, and the
// verifier. Candidates of one problem share them.
class ProblemBuffers {
 public:
  // Allocates and fills the buffers, then runs the reference. A failure of the reference has the status
  // reference_failed.
  static Result<std::unique_ptr<ProblemBuffers>, Failure> prepare(ComputeDevice& device, const RunJob& job,
                                                                  const Isolate& isolate);
  // Allocates the buffers only.
  static Result<std::unique_ptr<ProblemBuffers>, Failure> allocate(ComputeDevice& device, const RunJob& job);
  // Fills the inputs with these arguments' contents, then runs the reference.
  Result<void, Failure> draw(const std::vector<ArgumentPlan>& arguments, const Isolate& isolate);
  ProblemBuffers(const ProblemBuffers&) = delete;
  ProblemBuffers& operator=(const ProblemBuffers&) = delete;

  // The size of all its buffers.
  std::uint64_t bytes() const { return bytes_; }
  // True if the job has the same problem, reference and guards.
  bool fits(const RunJob& job) const;
  // Gives a forked process buffers of its own for all that a candidate writes.
  void renew();
  // Gives scratch memory the size that this candidate of the same problem needs.
  Result<void, Failure> adopt(const std::vector<ArgumentPlan>& arguments);
  Result<void, Failure> place(Placement placement);

  // Outputs hold another poison at each execution, which shows dependence on one.
  enum class Poison { first, second, third };

  // Runs the candidate on poisoned outputs. Then looks for writes outside buffers,
  // changed inputs and wrong outputs.
  Result<void, Failure> check(const LoadedProgram& candidate, Poison poison, const LaunchOptions& options);
  // The time of the last such execution, where the device can tell.
  std::optional<double> execution_us() const { return execution_us_; }
  // The same for an execution that `execute` does, such as one that is timed.
  Result<void, Failure> check_around(Poison poison, const std::function<Result<void, Failure>()>& execute);
  // Makes each problem ready for an execution that finds what `others` led to in its outputs and scratch
  // memory, which says nothing about its own results. `others`: null, or the same problem with other inputs.
  static Result<void, Failure> disguise(std::span<ProblemBuffers* const> problems,
                                        const ProblemBuffers* others);
  // Looks for what an execution of each problem did wrong. A second comparison finds writes after the end of
  // the execution.
  static Result<void, Failure> judge_executions(std::span<ProblemBuffers* const> problems);
  // Says what processes that are forked later may do with all its memory.
  void permit(ForkedAccess access);
  // The same for what the reference wrote.
  void permit_results(ForkedAccess access);
  // A buffer that executions get.
  struct Passed {
    std::size_t argument = 0;  // its place in the plan
    DeviceBuffer* buffer = nullptr;
    std::size_t element_bytes = 0;
    bool is_input = false, is_written = false;
    // Integers that a kernel may follow to other elements: offsets of rows, the edges of a graph in a file. A
    // kernel may leave its buffers if others are in their place.
    bool is_structure = false;
  };
  std::vector<Passed> passed();
  // True if inputs and expected outputs are unmodified since the only draw.
  Result<bool, Failure> is_intact();

  bool has_verifier() const { return job_.plan.verifier.has_steps(); }
  const std::vector<ArgumentMemory>& memory() const { return memory_; }
  Timer& timer() { return *timer_; }

 private:
  struct Slot {
    std::unique_ptr<DeviceBuffer> buffer;    // none: a scalar
    std::unique_ptr<DeviceBuffer> original;  // of an inout argument
    std::unique_ptr<DeviceBuffer> computed;  // of a computed input: what the reference wrote
    std::unique_ptr<DeviceBuffer> expected;  // of a checked output
    std::uint64_t input_digest = 0, expected_digest = 0;
    std::optional<bool> differs;  // an output: its results are others than those of the other inputs

    const DeviceBuffer& input() const { return original ? *original : *buffer; }
  };

  ProblemBuffers(ComputeDevice& device, const RunJob& job);
  Result<void, Failure> allocate_all();
  Result<void, Failure> allocate_verdict();
  Placement placement_of(std::size_t index) const;
  // The output that the reference wrote, or else the last candidate.
  const DeviceBuffer* result(std::size_t index) const;
  const DeviceBuffer* result_of(const ProblemBuffers* others, std::size_t index) const;
  // A kernel that changes this argument ends by a fault.
  bool is_protected(std::size_t index) const;
  bool protects_inputs() const;
  // The reference is known to leave this input as it is, and candidates cannot change it.
  bool needs_no_digest(std::size_t index) const;
  Result<void, Failure> fill_inputs();
  Result<void, Failure> run_reference();
  Result<void, Failure> keep_computed_inputs();
  Result<void, Failure> note_results();
  Result<bool, Failure> keep_results();
  Result<void, Failure> find_unwritten_integers();
  Result<void, Failure> execute(const LoadedProgram& program, const LaunchOptions& options, Phase phase);
  void restore_inputs();
  void poison_outputs(Poison poison);
  void poison_output(const Slot& slot, const DeviceBuffer* expected, std::byte mask);
  Result<void, Failure> find_damage();
  Result<void, Failure> find_violation();
  Result<void, Failure> find_changed_input();
  Result<std::string, Failure> repair_input(std::size_t index);
  Result<std::string, Failure> repair_input(std::size_t index, const DeviceBuffer& original);
  // Compares the outputs of one execution of each problem, then asks the verifiers.
  static Result<void, Failure> find_wrong_outputs(std::span<ProblemBuffers* const> problems);
  Result<void, Failure> verify();
  // True if the verifier or a comparison needs what the reference expects there.
  bool needs_expected(std::size_t index) const;
  bool is_computed(const ArgumentPlan& plan) const;
  // The slot's buffer and its expected contents.
  BufferPair pair(std::size_t index, ElementType type, const TolerancePlan& tolerance) const;
  Result<Verdict, Failure> compare(std::size_t index, ElementType type, const TolerancePlan& tolerance);

  ComputeDevice* device_;
  const RunJob job_;                     // the first of this problem
  std::vector<ArgumentPlan> arguments_;  // of the candidate whose sizes were adopted last
  Placement placement_;
  std::uint64_t bytes_ = 0;
  bool has_results_ = false;  // the expected outputs are known
  // The first draw has shown what the reference writes. On a GPU, which each question makes wait, others ask
  // less.
  bool is_drawn_again_ = false;
  std::optional<double> execution_us_;
  std::vector<Slot> slots_;             // one per argument
  std::vector<ArgumentMemory> memory_;  // the same, as programs see them
  std::unique_ptr<Timer> timer_;
  std::unique_ptr<DeviceBuffer> verdict_;
  std::vector<ArgumentMemory> verifier_memory_;           // of verifier_arguments()
  std::shared_ptr<const LoadedProgram> loaded_verifier_;  // from its first use on
};

}  // namespace gktune

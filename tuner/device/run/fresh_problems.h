#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "tuner/device/run/compute_device.h"
#include "tuner/device/run/problem_buffers.h"

namespace gktune {

// The same arguments with the other contents that the space file names, those of this turn, and otherwise
// with contents of another draw, as far as their kinds allow. Empty: no contents can vary. Random contents
// get another seed. Elements of ramps and files are drawn from their elements: those of all floating types,
// and if nothing else varies, those of the largest input alone, because integers may be places in other
// arguments.
std::vector<ArgumentPlan> with_other_inputs(std::vector<ArgumentPlan> arguments, std::uint64_t draw,
                                            std::uint64_t turn);

// Fresh executions: those that can know of no other. A candidate may remember what it did, in variables, in
// its outputs, on the chip. Nothing of that helps on inputs that have never been executed, whose outputs hold
// the results of other inputs. The results of each fresh execution are judged.
class FreshProblems {
 public:
  explicit FreshProblems(ComputeDevice& device) : device_(device) {}
  // References and verifiers run in this way.
  void isolate_by(Isolate isolate) { isolate_ = std::move(isolate); }

  // May a candidate meet inputs again if draws take longer than executions and more than a second?
  enum class Repeats { allowed, never };
  // Draws other inputs of the problem `base` this many times, or fewer if there is no room. Where no inputs
  // can vary, where the reference fails on others, or without room, executions use `base` itself. Keeps the
  // last draw if the job's candidate has not met it. A candidate that keeps memory may tell others what it
  // has met.
  Result<void, Failure> draw_if_met(const RunJob& job, ProblemBuffers& base, std::size_t count,
                                    bool keeps_memory, Repeats repeats);

  using Execute = std::function<Result<double, Failure>(std::span<ProblemBuffers* const> problems)>;
  // Has the job's candidate executed once on each problem of the last draw. Returns the time of one
  // execution.
  Result<double, Failure> time(const RunJob& job, const Execute& execute);
  // The same with the inputs of `base`.
  Result<double, Failure> time_on_base(const RunJob& job, const Execute& execute);
  // Has the job's candidate executed on one problem of the last draw, and again once other inputs have taken
  // the place of that problem's.
  Result<void, Failure> check_in_place(const RunJob& job, const Execute& execute);

  void drop();

 private:
  Result<void, Failure> draw(const RunJob& job, std::size_t count);
  // False: other inputs cannot be used for this problem.
  Result<bool, Failure> draw(ProblemBuffers& problem, const RunJob& job);
  Result<void, Failure> grow(const RunJob& job, std::size_t count);
  bool is_cheap() const;
  Result<void, Failure> judge(std::span<ProblemBuffers* const> problems);
  Result<double, Failure> time_on(std::span<ProblemBuffers* const> problems, const ProblemBuffers* others,
                                  const RunJob& job, const Execute& execute);

  ComputeDevice& device_;
  Isolate isolate_ = run_here;
  ProblemBuffers* base_ = nullptr;
  std::vector<std::unique_ptr<ProblemBuffers>> problems_;
  bool is_barred_ = false;        // other inputs cannot be used for this problem
  std::set<std::string> met_by_;  // candidates
  double drawing_s_ = 0, executing_s_ = 0;
  std::random_device random_;
  std::uint64_t turn_ = random_();  // among the contents that the space file names
};

}  // namespace gktune

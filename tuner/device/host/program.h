#pragma once

#include <cstddef>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/host/executor.h"
#include "tuner/device/host/fault.h"
#include "tuner/device/host/host_module.h"
#include "tuner/device/host/problem_buffers.h"
#include "tuner/device/worker/job.h"
#include "tuner/space/plan.h"

namespace gktune {

// Loaded code and the steps to run in it: a candidate, or the reference.
class Program {
 public:
  // A fault: its code cannot be loaded, or its functions do not take what they are to be given.
  static Result<Program, Fault> load(const Module& module, const ProgramPlan& plan,
                                     const std::vector<ArgumentPlan>& arguments);

  // Whether its steps are kernels, which the executor's threads run, and no functions, which have threads of
  // their own if any.
  bool has_kernels() const;

  // Every step, one after the other.
  Result<void, Fault> run(Executor& executor, ProblemBuffers& buffers) const;

 private:
  struct Step {
    StepPlan plan;
    std::size_t entry = 0;  // in the module
  };

  explicit Program(HostModule module) : module_(std::move(module)) {}

  HostModule module_;
  std::vector<Step> steps_;
};

}  // namespace gktune

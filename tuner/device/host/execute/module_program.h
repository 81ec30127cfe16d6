#pragma once

#include <cfenv>
#include <cstddef>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/host/execute/host_module.h"
#include "tuner/device/run/passed_values.h"
#include "tuner/space/plan.h"

namespace gktune {

// A program whose steps are functions of a loaded shared object: kernels on a CPU, or host code of a GPU.
struct ModuleProgram {
  struct Step {
    StepPlan plan;
    std::size_t entry = 0;  // in the module
  };

  // An error if the file is damaged, or if a function cannot take the arguments of its step. The calling
  // thread has the default floating-point mode afterwards.
  static Result<ModuleProgram, Failure> load(const Module& module, const ProgramPlan& plan,
                                             const std::vector<ArgumentPlan>& arguments);
  // The entry's place in the module.
  Result<std::size_t, Failure> place_of(const std::string& entry, const ProgramPlan& plan) const;

  HostModule module;
  std::fenv_t floating_point_mode{};  // after loading: code of GCC's -Ofast flushes denormal numbers to zero
  std::vector<Step> steps, setup_once, setup_each;
  PassedValues passed;
  std::vector<std::size_t> buffer_bytes;  // of the plan's arguments
};

}  // namespace gktune

#pragma once

#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/host/execute/executor.h"
#include "tuner/device/host/execute/shared_object.h"
#include "tuner/device/run/compute_device.h"

namespace gktune {

// Sets the floating-point mode of the calling thread while the object lives; restores the default one.
class FloatingPointMode {
 public:
  explicit FloatingPointMode(const std::fenv_t& mode) { std::fesetenv(&mode); }
  FloatingPointMode(const FloatingPointMode&) = delete;
  FloatingPointMode& operator=(const FloatingPointMode&) = delete;
  ~FloatingPointMode() { std::fesetenv(FE_DFL_ENV); }
};

// A program in a loaded shared object, whose functions take the arguments that the plan gives them.
class HostProgram final : public LoadedProgram {
 public:
  static Result<HostProgram, Failure> load(const Module& module, const ProgramPlan& plan,
                                           const std::vector<ArgumentPlan>& arguments);

  // The resources of the step with the most threads.
  Resources resources() const override { return resources_; }
  Instrumentation instrumentation() const { return instrumentation_; }
  // True if its steps are kernels, which the executor's threads run. Functions have threads of their own.
  bool has_kernels() const;
  // The mode in which its executions start.
  const std::fenv_t& floating_point_mode() const { return code_.floating_point_mode; }

  // One execution is prepare(), execute() and finish(). values[i] points to the value of the plan's i-th
  // argument, as for cuLaunchKernel. Copies arguments into variables, and runs the setup.
  Result<void, Failure> prepare(Executor& executor, void* const* values) const;
  Result<void, Failure> execute(Executor& executor, void* const* values) const;
  // Copies variables that are outputs back.
  void finish(void* const* values) const;
  // All three.
  Result<void, Failure> launch(Executor& executor, void* const* values) const;
  // For buffers at these addresses, 0 for a scalar. The addresses have to outlive the result.
  std::vector<void*> values_at(std::span<const std::uintptr_t> addresses) const {
    return code_.passed.values_at(addresses);
  }
  // True if executions cannot follow each other without prepare().
  bool needs_each_setup() const;

 private:
  struct Variable {
    void* memory = nullptr;
    std::size_t argument = 0;
    bool is_written = false;
  };

  HostProgram(SharedObjectSteps code, Instrumentation instrumentation)
      : code_(std::move(code)), instrumentation_(instrumentation) {}
  Result<void, Failure> add_variable(const VariablePlan& variable, const ProgramPlan& program,
                                     const std::vector<ArgumentPlan>& arguments);
  Result<void, Failure> run(Executor& executor, const std::vector<SharedObjectSteps::Step>& steps,
                            void* const* values) const;
  void note_resources(const StepPlan& step);

  SharedObjectSteps code_;
  Instrumentation instrumentation_;
  std::map<int, TexturePlan> textures_;  // by the value that a step passes
  std::vector<Variable> variables_;
  Resources resources_;
};

}  // namespace gktune

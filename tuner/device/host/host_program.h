#pragma once

#include <array>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/host/execute/executor.h"
#include "tuner/device/host/execute/host_module.h"
#include "tuner/device/run/compute_device.h"

namespace gktune {

// The calling thread has this mode while the object lives, and the default one before and after.
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
                                           const std::vector<ArgumentPlan>& arguments,
                                           Instrumentation instrumentation);

  // The resources of the step with the most threads.
  Resources resources() const override { return resources_; }
  Instrumentation instrumentation() const { return instrumentation_; }
  // True if its steps are kernels, which the executor's threads run. Functions have threads of their own.
  bool has_kernels() const;
  // The floating-point mode of its executions, which loading its code may have set: GCC's -Ofast flushes denormal
  // numbers to zero.
  const std::fenv_t& floating_point_mode() const { return floating_point_mode_; }
  // Runs every step. values[i] points to the value of the i-th argument, as for cuLaunchKernel.
  Result<void, Failure> launch(Executor& executor, void* const* values) const;
  // The same. One address per argument, 0 for a scalar.
  Result<void, Failure> run(Executor& executor, std::span<const std::uintptr_t> addresses) const;

 private:
  struct alignas(8) Scalar : std::array<std::byte, 8> {};
  struct Step {
    StepPlan plan;
    std::size_t entry = 0;  // in the module
  };

  HostProgram(HostModule module, Instrumentation instrumentation)
      : module_(std::move(module)), instrumentation_(instrumentation) {}
  void note_resources(const StepPlan& step);

  HostModule module_;
  std::fenv_t floating_point_mode_{};
  Instrumentation instrumentation_;
  std::vector<Step> steps_;
  std::size_t argument_count_ = 0;  // of the plan; the program's own values come after them
  std::vector<Scalar> scalars_;     // one per argument and value; unused for buffers
  std::vector<std::size_t> bytes_;  // of the buffers
  Resources resources_;
};

}  // namespace gktune

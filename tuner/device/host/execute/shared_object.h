#pragma once

#include <cfenv>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/failure.h"
#include "tuner/device/host/execute/executor.h"
#include "tuner/device/host/execute/fault_handler.h"
#include "tuner/device/run/passed_values.h"
#include "tuner/device/worker/job.h"
#include "tuner/space/plan.h"

namespace gktune {

// A shared object made by HostCompiler or NvccCompiler, loaded into this process.
class SharedObject {
 public:
  // `may_keep_threads`: its code stays loaded while it has threads, which run it.
  static Result<SharedObject> load(const Module& module, bool may_keep_threads = false);

  std::size_t entry_count() const { return entries_.size(); }
  // Number, width and kind of the arguments.
  const kernel::Entry& entry(std::size_t index) const { return *entries_[index]; }

  // Calls a function once. Each argument points to its value. The stream is for launcher code.
  Result<void, Failure> call(std::size_t entry, std::span<void* const> arguments, void* stream) const;

  // Runs a kernel over the whole grid, or a function once. Each argument points to
  // its value, as for cuLaunchKernel.
  Result<void, Failure> launch(Executor& executor, std::size_t entry, const LaunchShape& shape,
                               std::span<void* const> arguments) const;

 private:
  struct Unload {
    bool may_keep_threads = false;
    void operator()(void* handle) const;
  };
  SharedObject(void* handle, bool may_keep_threads) : handle_(handle, Unload{may_keep_threads}) {}

  std::unique_ptr<void, Unload> handle_;
  std::vector<const kernel::Entry*> entries_;
  CodeRange code_;
};

// A program whose steps are functions of a loaded shared object: kernels on a CPU, or launcher code of a GPU.
struct SharedObjectSteps {
  struct Step {
    StepPlan plan;
    std::size_t entry = 0;  // in the module
  };

  // An error if the file is damaged, or if a function cannot take the arguments of its step. The calling
  // thread has the default floating-point mode afterwards.
  static Result<SharedObjectSteps, Failure> load(const Module& module, const ProgramPlan& plan,
                                                 const std::vector<ArgumentPlan>& arguments);
  // The entry's place in the module.
  Result<std::size_t, Failure> place_of(const std::string& entry, const ProgramPlan& plan) const;

  SharedObject module;
  std::fenv_t floating_point_mode{};  // after loading: code of GCC's -Ofast flushes denormal numbers to zero
  std::vector<Step> steps, setup_once, setup_each;
  PassedValues passed;
  std::vector<std::size_t> buffer_bytes;  // of the plan's arguments
};

}  // namespace gktune

#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/cuda/gpu_program.h"
#include "tuner/device/host/execute/host_module.h"
#include "tuner/device/run/passed_values.h"
#include "tuner/device/worker/job.h"
#include "tuner/space/plan.h"

namespace gktune {

// Host code in a loaded shared object: functions that launch their own kernels. CUDA's runtime library in it
// works in the calling thread's context. The GPU has to use the default stream: see Gpu::use_default_stream.
class HostCodeProgram final : public GpuProgram {
 public:
  static Result<HostCodeProgram, Failure> load(const Module& module, const ProgramPlan& program,
                                               const std::vector<ArgumentPlan>& arguments);

  void queue(Gpu& gpu, Part part, std::span<const CUdeviceptr> addresses) const override;
  bool needs_each_setup() const override { return !setup_each_.empty(); }
  bool has_setup() const override { return !setup_once_.empty() || !setup_each_.empty(); }
  bool is_host_code() const override { return true; }
  Resources resources() const override { return {}; }

 private:
  struct Step {
    StepPlan plan;
    std::size_t entry = 0;  // in the module
  };

  explicit HostCodeProgram(HostModule module) : module_(std::move(module)) {}
  Result<void, Failure> add_steps(const std::vector<StepPlan>& plans, const ProgramPlan& program,
                                  const std::vector<ArgumentPlan>& arguments, std::vector<Step>& steps);
  void run(Gpu& gpu, const std::vector<Step>& steps, std::span<const CUdeviceptr> addresses) const;

  HostModule module_;
  std::vector<Step> steps_, setup_once_, setup_each_;
  PassedValues passed_;
  std::vector<std::size_t> buffer_bytes_;  // of the plan's arguments
};

}  // namespace gktune

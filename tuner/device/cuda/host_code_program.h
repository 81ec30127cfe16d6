#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/cuda/gpu_program.h"
#include "tuner/device/host/execute/module_program.h"

namespace gktune {

// Host code in a loaded shared object: functions that launch their own kernels. CUDA's runtime library in it
// works in the calling thread's context. The GPU has to use the default stream: see Gpu::use_default_stream.
class HostCodeProgram final : public GpuProgram {
 public:
  static Result<HostCodeProgram, Failure> load(const Module& module, const ProgramPlan& program,
                                               const std::vector<ArgumentPlan>& arguments);

  void queue(Gpu& gpu, Part part, std::span<const CUdeviceptr> addresses) const override;
  bool needs_each_setup() const override { return !code_.setup_each.empty(); }
  bool has_setup() const override { return !code_.setup_once.empty() || !code_.setup_each.empty(); }
  bool is_host_code() const override { return true; }
  Resources resources() const override { return {}; }

 private:
  explicit HostCodeProgram(ModuleProgram code) : code_(std::move(code)) {}
  void run(Gpu& gpu, const std::vector<ModuleProgram::Step>& steps,
           std::span<const CUdeviceptr> addresses) const;

  ModuleProgram code_;
};

}  // namespace gktune

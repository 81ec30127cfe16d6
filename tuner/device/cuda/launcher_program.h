#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/cuda/cuda_program.h"
#include "tuner/device/host/execute/shared_object.h"

namespace gktune {

// Launcher code (`language: host`) in a loaded shared object: C++ functions that launch their own kernels.
// CUDA's runtime library in it works in the calling thread's context. The GPU has to use the default stream:
// see Gpu::use_default_stream.
class LauncherProgram final : public GpuProgram {
 public:
  static Result<LauncherProgram, Failure> load(const Module& module, const ProgramPlan& program,
                                               const std::vector<ArgumentPlan>& arguments);

  void queue(Gpu& gpu, Part part, std::span<const CUdeviceptr> addresses) const override;
  bool needs_each_setup() const override { return !code_.setup_each.empty(); }
  bool has_setup() const override { return !code_.setup_once.empty() || !code_.setup_each.empty(); }
  bool is_launcher() const override { return true; }
  Resources resources() const override { return {}; }

 private:
  explicit LauncherProgram(SharedObjectSteps code) : code_(std::move(code)) {}
  void run(Gpu& gpu, const std::vector<SharedObjectSteps::Step>& steps,
           std::span<const CUdeviceptr> addresses) const;

  SharedObjectSteps code_;
};

}  // namespace gktune

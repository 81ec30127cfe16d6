#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tuner/device/cuda/device_kernels.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/device/cuda/module_shelf.h"
#include "tuner/device/cuda/nvml.h"
#include "tuner/device/cuda/sampler.h"
#include "tuner/device/cuda/toolkit.h"
#include "tuner/device/cuda/workbench.h"
#include "tuner/device/worker/backend.h"

namespace gktune {

// Checks and times candidates on one GPU.
class CudaRunner : public Runner {
 public:
  static Result<std::unique_ptr<CudaRunner>> open(int ordinal, const ToolkitPlaces& places);

  RunReply run(const RunJob& job) override;
  std::vector<Samples> playoff(const PlayoffJob& job) override;

 private:
  explicit CudaRunner(std::unique_ptr<Gpu> gpu) : gpu_(std::move(gpu)), shelf_(*gpu_) {}

  Result<void, Trouble> run_into(RunReply& reply, const RunJob& job);
  // The bench for the job's problem: the last job's, where it was the same.
  Result<Workbench*, Trouble> bench_for(const RunJob& job);
  Result<BoundProgram, Trouble> bind(const RunJob& job);
  Result<void, Trouble> check(const RunJob& job, const BoundProgram& program);
  Result<void, Trouble> time(RunReply& reply, const RunJob& job, BoundProgram program);
  Result<void, Trouble> measure_power(RunReply& reply, Sampler& sampler, double limit_s);
  Sampler sampler(const RunJob& job, BoundProgram program);
  // Keeps the GPU at work for a while when it was idle: its clock needs time to rise.
  void wake_up();

  std::unique_ptr<Gpu> gpu_;
  std::optional<DeviceKernels> kernels_;
  std::optional<Nvml> nvml_;
  double full_clock_mhz_ = 0;
  ModuleShelf shelf_;
  DeviceMemory sweep_buffer_;
  std::size_t sweep_bytes_ = 0;
  std::optional<Workbench> bench_;
  std::optional<std::chrono::steady_clock::time_point> last_busy_;
};

}  // namespace gktune

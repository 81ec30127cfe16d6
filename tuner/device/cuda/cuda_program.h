#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/device/cuda/compile/module_cache.h"
#include "tuner/device/run/compute_device.h"
#include "tuner/device/worker/job.h"
#include "tuner/space/plan.h"

namespace gktune {

// A program whose kernels are found and whose launches are checked against the device's limits.
class CudaProgram final : public LoadedProgram {
 public:
  struct Step {
    CUfunction function = nullptr;  // null: a fill
    LaunchShape shape;
    std::vector<int> arguments;
    int fill_argument = -1;
    unsigned char fill_byte = 0;
  };

  static Result<CudaProgram, Failure> bind(Gpu& gpu, std::shared_ptr<const CachedModule> code,
                                           const Module& module, const ProgramPlan& program,
                                           const std::vector<ArgumentPlan>& arguments);

  // Queues all steps. One address per argument, 0 for a scalar.
  void launch(Gpu& gpu, std::span<const CUdeviceptr> buffers) const;
  const std::vector<Step>& steps() const { return steps_; }
  // The value of a step's argument: one of `values`, which are the plan's arguments, or one of the program's own.
  void* value(int index, void* const* values) const {
    const auto i = static_cast<std::size_t>(index);
    if (i < argument_count_) return values[i];
    return const_cast<std::byte*>(scalars_[i].data());  // the driver only reads there
  }
  // The size of a buffer that a step fills.
  std::size_t fill_bytes(std::size_t argument) const { return fill_sizes_[argument]; }
  // The resources of the step with the most threads.
  Resources resources() const override { return resources_; }

 private:
  // A scalar's bytes, as a kernel's parameter sees them.
  using Scalar = std::array<std::byte, 8>;
  Result<void, Failure> add_kernel(Gpu& gpu, const Module& module, const ProgramPlan& program,
                                   const StepPlan& plan);
  void note_resources(Gpu& gpu, const std::string& symbol, const Step& step);

  std::shared_ptr<const CachedModule> code_;  // see ModuleCache::get
  std::vector<Step> steps_;
  std::size_t argument_count_ = 0;       // of the plan; the program's own values come after them
  std::vector<Scalar> scalars_;          // one per argument and value; unused for buffers
  std::vector<std::size_t> sizes_;       // of both as parameters
  std::vector<std::size_t> fill_sizes_;  // of the buffers, in bytes
  Resources resources_;
  std::int64_t most_threads_ = 0;
};

}  // namespace gktune

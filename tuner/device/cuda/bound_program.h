#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/core/trial.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/device/cuda/module_shelf.h"
#include "tuner/device/cuda/trouble.h"
#include "tuner/device/worker/job.h"
#include "tuner/space/plan.h"

namespace gktune {

// The steps of a program with all found and checked that they need: they only have to be launched.
class BoundProgram {
 public:
  static Result<BoundProgram, Trouble> bind(Gpu& gpu, std::shared_ptr<const ShelvedModule> code,
                                            const Module& module, const ProgramPlan& program,
                                            const std::vector<ArgumentPlan>& arguments);

  // Puts the steps into the stream, with the address of each argument that is a buffer.
  void launch(Gpu& gpu, std::span<const CUdeviceptr> buffers) const;
  // Of the step with the most threads.
  const Resources& resources() const { return resources_; }
  std::size_t step_count() const { return steps_.size(); }

 private:
  // A scalar's bytes, as a kernel's parameter sees them.
  using Scalar = std::array<std::byte, 8>;
  struct Step {
    CUfunction function = nullptr;  // null: a fill
    LaunchShape shape;
    std::vector<int> arguments;
    int fill_argument = -1;
    unsigned char fill_byte = 0;
  };

  Result<void, Trouble> add_kernel(Gpu& gpu, const Module& module, const ProgramPlan& program,
                                   const StepPlan& plan);
  void note_resources(Gpu& gpu, const std::string& symbol, const Step& step);

  std::shared_ptr<const ShelvedModule> code_;  // see ModuleShelf::get
  std::vector<Step> steps_;
  std::vector<Scalar> scalars_;          // one an argument; of a buffer unused
  std::vector<std::size_t> sizes_;       // of the arguments as parameters
  std::vector<std::size_t> fill_sizes_;  // of the buffers, in bytes
  Resources resources_;
  std::int64_t most_threads_ = 0;
};

}  // namespace gktune

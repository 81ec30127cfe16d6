#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tuner/core/result.h"
#include "tuner/device/cuda/bound_program.h"
#include "tuner/device/cuda/device_kernels.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/device/cuda/module_shelf.h"
#include "tuner/device/cuda/trouble.h"
#include "tuner/device/worker/job.h"

namespace gktune {

// The buffers of one problem on the GPU: inputs as the plan says, outputs with what the reference makes of
// them, and around each buffer zones that nothing may write to. Candidates come and go; the problem stays.
class Workbench {
 public:
  // Makes the buffers, fills them, lets the reference run.
  static Result<Workbench, Trouble> prepare(Gpu& gpu, DeviceKernels& kernels, ModuleShelf& shelf,
                                            const RunJob& job);

  // Whether it is this job's problem.
  bool fits(const RunJob& job) const;
  // Takes what is this job's own, which fits: makes room for its scratch memory. Addresses may change.
  Result<void, Trouble> adopt(const RunJob& job);

  // Runs the candidate once on poisoned outputs, and judges what it left.
  Result<void, Trouble> check(const BoundProgram& candidate, double limit_s);
  // Puts the contents back that a candidate may have changed as it should.
  void restore();
  bool needs_restoring() const;
  // Whether what is not to change is what it was when it was made; a candidate may have written anywhere.
  bool is_intact();

  const std::vector<CUdeviceptr>& buffers() const { return addresses_; }

  // More buffers of the same contents, outside of the caches while others are in use: grown to `count` sets,
  // or as many as there is room for. Returns how many there are. All share the scratch memory, which is
  // written before it is read: what one candidate needs of it must not move the buffers that the others are
  // timed on.
  std::size_t grow_copies(std::size_t count);
  const std::vector<CUdeviceptr>& copy(std::size_t index) const { return copies_[index].addresses; }
  void restore_copy(std::size_t index);
  // Bytes of one more set.
  std::size_t footprint() const;

 private:
  struct Buffer {
    std::size_t argument = 0;  // index in the plan
    std::size_t size = 0;
    std::size_t capacity = 0;  // of scratch memory: the most that any candidate asked for
    DeviceMemory memory;       // with the zones
    CUdeviceptr data = 0;
    DeviceMemory pristine;  // of an inout: what it holds at the start
    DeviceMemory expected;  // of a checked output
    std::uint64_t pristine_digest = 0, expected_digest = 0;
  };
  struct Copy {
    DeviceMemory memory;
    std::vector<CUdeviceptr> addresses;
  };
  Workbench(Gpu& gpu, DeviceKernels& kernels, const RunJob& job);

  const ArgumentPlan& plan_of(const Buffer& buffer) const { return arguments_[buffer.argument]; }
  Result<void, Trouble> make_buffers();
  void allocate(Buffer& buffer);
  bool is_copied(const Buffer& buffer) const;
  // The candidate alone, with what it says of itself.
  Result<void, Trouble> run_once(const BoundProgram& candidate, double limit_s);
  Result<void, Trouble> fill(Buffer& buffer, CUdeviceptr to);
  Result<void, Trouble> run_reference(ModuleShelf& shelf, const RunJob& job);
  Result<void, Trouble> take_answers(const RunJob& job);
  void fill_guards(const Buffer& buffer);
  Result<void, Trouble> check_guards();
  Result<void, Trouble> check_inputs();
  // Of an input that is not what it was: where, and how.
  std::string change_in(Buffer& buffer);
  Result<void, Trouble> check_outputs();
  // What went wrong with the GPU, or the limit, since the last call.
  Result<void, Trouble> finished(double limit_s);

  Gpu* gpu_;
  DeviceKernels* kernels_;
  std::vector<ArgumentPlan> arguments_;
  ProgramPlan reference_;
  Module reference_module_;
  std::vector<Buffer> buffers_;
  std::vector<CUdeviceptr> addresses_;  // one an argument; 0 for a scalar
  std::vector<Copy> copies_;
};

}  // namespace gktune

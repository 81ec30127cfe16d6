#pragma once

#include <cuda.h>

#include <cstddef>
#include <list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gktune/result.h"
#include "tuner/device/cuda/compile/module_file.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/device/failure.h"
#include "tuner/device/run/compute_device.h"
#include "tuner/device/run/passed_values.h"
#include "tuner/device/worker/job.h"
#include "tuner/space/plan.h"

namespace gktune {

// Machine code on the GPU with the compiler's report on its kernels.
struct CachedModule {
  std::string path;
  LoadedModule code;
  std::vector<KernelResources> kernels;
  bool may_print = true;   // see GpuProgram::may_print
  bool uses_heap = false;  // all modules share it
};

// The modules used last: variants that were compiled together share one, and the reference returns. A module
// with variables that kernels write is loaded anew each time: no candidate finds what another one left there.
class ModuleCache {
 public:
  explicit ModuleCache(Gpu& gpu) : gpu_(gpu) {}
  // Shared with programs that use it: the cache may drop it before they end.
  Result<std::shared_ptr<const CachedModule>, Failure> get(const std::string& path);

 private:
  Gpu& gpu_;
  std::list<std::shared_ptr<const CachedModule>> modules_;  // most recently used first
};

// Texture objects of the buffers that a program is launched with. They live as long as this: launches that
// are queued and graphs use them. One thread at a time.
class Textures {
 public:
  Textures() = default;
  Textures(const Textures&) = delete;
  Textures& operator=(const Textures&) = delete;
  ~Textures();

  // The texture of the buffer at this address, made the first time.
  CUresult find(const Driver& driver, const TexturePlan& plan, CUdeviceptr address, CUtexObject& texture);

 private:
  struct Known {
    TexturePlan plan;
    CUdeviceptr address = 0;
    CUtexObject texture = 0;
  };
  std::vector<Known> known_;
  decltype(Driver::cuTexObjectDestroy) destroy_ = nullptr;
};

// A program that works in the GPU's stream. One execution is prepare, execute and finish.
class GpuProgram : public LoadedProgram {
 public:
  enum class Part { prepare, execute, finish };
  // Queues a part of an execution. One address per argument, 0 for a scalar.
  virtual void queue(Gpu& gpu, Part part, std::span<const CUdeviceptr> addresses) const = 0;
  // True if executions cannot follow each other without prepare.
  virtual bool needs_each_setup() const = 0;
  // True if the setup may remember addresses of buffers.
  virtual bool has_setup() const = 0;
  // True if prepare does anything.
  virtual bool is_prepared() const { return true; }
  // True if it may wait for the GPU or use other streams: it cannot be captured.
  virtual bool may_wait() const { return false; }
  // False only if no kernel of it can print or fail an assertion.
  virtual bool may_print() const { return true; }
};

// Loads launcher code (`language: host`): C++ functions in a shared object that launch their own kernels.
// CUDA's runtime library in it works in the calling thread's context. The GPU has to use the default stream:
// see Gpu::use_default_stream.
Result<std::shared_ptr<const LoadedProgram>, Failure> load_launcher(
    const Module& module, const ProgramPlan& program, const std::vector<ArgumentPlan>& arguments);

// A program whose kernels and variables are found and whose launches are checked against the device's limits.
// One execution is prepare(), execute() and finish() in one stream.
class CudaProgram final : public GpuProgram {
 public:
  static Result<CudaProgram, Failure> bind(Gpu& gpu, std::shared_ptr<const CachedModule> code,
                                           const Module& module, const ProgramPlan& program,
                                           const std::vector<ArgumentPlan>& arguments);

  // Each queues its part. values[i] points to the value of the plan's i-th argument, as for cuLaunchKernel.
  // Copies arguments into variables, and runs the setup.
  CUresult prepare(const Driver& driver, CUstream stream, void* const* values) const;
  CUresult execute(const Driver& driver, CUstream stream, void* const* values) const;
  // Copies variables that are outputs back.
  CUresult finish(const Driver& driver, CUstream stream, void* const* values) const;
  // All three.
  CUresult run(const Driver& driver, CUstream stream, void* const* values) const;
  // The same in the GPU's stream.
  void queue(Gpu& gpu, Part part, std::span<const CUdeviceptr> addresses) const override;

  // A launch of one kernel.
  struct PlainLaunch {
    CUfunction function = nullptr;
    CUlaunchConfig config = {};  // without a stream
    std::span<const PassedValue> parameters;
  };
  // All that run() queues, if that is one launch whose parameters need no work. It refers to the program.
  std::optional<PlainLaunch> plain_launch() const;

  bool needs_each_setup() const override;
  bool has_setup() const override { return !setup_once_.empty() || !setup_each_.empty(); }
  bool is_prepared() const override { return has_setup() || !variables_.empty(); }
  bool may_wait() const override { return may_wait_; }
  bool may_print() const override { return code_->may_print; }
  bool keeps_memory() const override { return code_->uses_heap; }
  // The resources of the step with the most threads.
  Resources resources() const override { return resources_; }

 private:
  struct Step {
    CUfunction function = nullptr;    // null: a fill or a question
    std::optional<std::size_t> flag;  // see StepPlan::flag_argument
    std::size_t skipped = 0;
    std::vector<PassedValue> parameters;
    // All parameters, if each launch puts structs, maps or textures together; else none.
    std::vector<int> assembled;
    LaunchConfig config;
    std::vector<std::pair<std::size_t, TensorMapPlan>> tensor_maps;  // by the places of their parameters
    std::vector<std::pair<std::size_t, TexturePlan>> textures;       // the same
    std::size_t fill_argument = 0;
    unsigned char fill_byte = 0;
  };
  struct Variable {
    CUdeviceptr address = 0;
    std::size_t argument = 0;
    bool is_written = false;
  };

  Result<void, Failure> add_steps(Gpu& gpu, const Module& module, const ProgramPlan& program,
                                  const std::vector<StepPlan>& plans, std::vector<Step>& steps);
  Result<Step, Failure> kernel(Gpu& gpu, const Module& module, const ProgramPlan& program,
                               const StepPlan& plan);
  // Each returns why the launch cannot be made; empty: it can.
  std::string parameter_misfit(Gpu& gpu, CUfunction function, const StepPlan& plan) const;
  // Adds the textures and tensor maps that the launch passes.
  std::string add_objects(Gpu& gpu, const ProgramPlan& program, const StepPlan& plan, Step& step) const;
  Result<void, Failure> add_variables(Gpu& gpu, const Module& module, const ProgramPlan& program,
                                      const std::vector<ArgumentPlan>& arguments);
  void note_resources(Gpu& gpu, const std::string& symbol, CUfunction function, const LaunchShape& shape);
  CUresult queue(const Driver& driver, CUstream stream, const std::vector<Step>& steps,
                 void* const* values) const;
  // Finds the textures that the step passes.
  CUresult find_textures(const Driver& driver, const Step& step, void* const* values,
                         std::vector<CUtexObject>& textures) const;
  CUresult queue_assembled(const Driver& driver, CUstream stream, const Step& step,
                           void* const* values) const;

  std::vector<Variable> variables_;
  std::vector<Step> setup_once_, setup_each_, steps_;
  std::shared_ptr<const CachedModule> code_;                           // see ModuleCache::get
  std::unique_ptr<Textures> textures_ = std::make_unique<Textures>();  // made when they are launched with
  PassedValues passed_;
  std::vector<std::size_t> buffer_bytes_;  // of the plan's arguments
  Resources resources_;
  std::int64_t most_threads_ = 0;
  bool may_wait_ = false;  // it has a question
};

}  // namespace gktune

#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/compile_processes.h"
#include "tuner/device/cuda/cuda_compiler.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/device/cuda/sampler.h"
#include "tuner/space/definition.h"

namespace gktune {

// Who takes part, and what came out. The metrics are those of the space file.
struct Contender {
  std::string name;
  Trial trial;
};

// Configurations of a space, and what others wrote for the same work, timed in turn on one problem: what
// disturbs one disturbs all. Uses the GPU from this process, as the tuner's worker does.
class Contest {
 public:
  // Exits with a message where there is no GPU or the file is bad. The problem takes each axis' last value,
  // unless `axes` says otherwise.
  Contest(const std::string& space_path, const Problem& axes);

  // Checked against the reference first; exits with a message where it fails.
  void enter(const std::string& name, const Config& config);
  // On the buffers that the configurations work on, which must have entered first.
  void enter(const std::string& name, Execution execution);
  // The median of so many samples each.
  std::vector<Contender> hold(int rounds);

  const DeviceInfo& device() const { return device_; }
  const Definition& definition() const { return definition_; }
  const Problem& problem() const { return problem_; }
  CUstream stream() const { return gpu_->stream(); }
  // Where the argument of that name stands among the buffers.
  std::size_t argument(const std::string& name) const;

 private:
  struct Entry {
    std::string name;
    Config config;
    Execution execution;
  };
  Result<RunJob, Trouble> job_for(const Config& config);
  // What it executes, once its output was right.
  Result<Execution, Trouble> check(const RunJob& job);

  Definition definition_;
  Problem problem_;
  DeviceInfo device_;
  ScratchCache cache_;
  std::unique_ptr<CudaCompiler> compiler_;
  std::unique_ptr<Gpu> gpu_;
  std::optional<DeviceKernels> kernels_;
  DeviceMemory sweep_buffer_;
  std::optional<ModuleShelf> shelf_;
  std::optional<Workbench> bench_;
  std::vector<ArgumentPlan> arguments_;
  std::vector<Entry> entries_;
};

// What the space's first metric says of a contender: "4683 GB/s".
std::string score_of(const Contender& contender);

}  // namespace gktune

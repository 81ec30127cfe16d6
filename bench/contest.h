#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/compile_processes.h"
#include "tuner/device/cuda/compile/toolkit.h"
#include "tuner/device/cuda/cuda_device.h"
#include "tuner/device/cuda/cuda_timer.h"
#include "tuner/device/run/problem_buffers.h"
#include "tuner/space/definition.h"

namespace gktune {

// A participant and its result. The metrics are those of the space file.
struct ContestResult {
  std::string name;
  Trial trial;
};

// Times configurations of a space and other implementations of the same work in turn on one problem, so that
// disturbances affect all of them. It uses the GPU from this process, as the tuner's worker does.
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
  std::vector<ContestResult> hold(int rounds);

  const DeviceInfo& device() const { return device_; }
  const Definition& definition() const { return definition_; }
  const Problem& problem() const { return problem_; }
  CUstream stream() const { return gpu_->gpu().stream(); }
  // The index of the argument among the buffers.
  std::size_t argument(const std::string& name) const;

 private:
  struct Entry {
    std::string name;
    Config config;
    Execution execution;
  };
  Result<RunJob, Failure> job_for(const Config& config);
  // The execution of a candidate whose output is right.
  Result<Execution, Failure> check(const RunJob& job);

  Definition definition_;
  Problem problem_;
  DeviceInfo device_;
  ScratchCache cache_;
  std::unique_ptr<Compiler> compiler_;
  std::unique_ptr<CudaDevice> gpu_;
  std::unique_ptr<ProblemBuffers> buffers_;
  std::vector<ArgumentPlan> arguments_;
  std::vector<Entry> entries_;
};

// The space's first metric of a contender: "4683 GB/s".
std::string score_of(const ContestResult& result);

}  // namespace gktune

#pragma once

#include <cuda.h>

#include <span>

#include "tuner/device/cuda/gpu.h"
#include "tuner/device/run/compute_device.h"

namespace gktune {

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
  // True if it may wait for the GPU, use other streams, and cannot be captured.
  virtual bool is_host_code() const { return false; }
  // False only if no kernel of it can print or fail an assertion.
  virtual bool may_print() const { return true; }
};

}  // namespace gktune

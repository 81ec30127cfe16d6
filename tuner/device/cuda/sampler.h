#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "tuner/core/device_info.h"
#include "tuner/core/result.h"
#include "tuner/core/trial.h"
#include "tuner/device/cuda/bound_program.h"
#include "tuner/device/cuda/device_kernels.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/device/cuda/trouble.h"
#include "tuner/device/cuda/workbench.h"

namespace gktune {

// Puts one execution into the GPU's stream, with the address of each argument that is a buffer.
using Execution = std::function<void(std::span<const CUdeviceptr> buffers)>;

// The steps of a program.
Execution execution_of(Gpu& gpu, BoundProgram program);

// Of a buffer that drives all else out of the caches when it is read.
std::size_t sweep_bytes(const DeviceInfo& device);

// Takes times of one candidate's executions, one after the other, each as the regime wants the caches.
//
// A long execution is timed singly: caches swept, all queued behind a held stream, an event at each end. A
// short one would drown in what an event costs: many of them are timed at once in a graph, each on buffers of
// its own, which the sweep before the graph has driven out of the caches.
class Sampler {
 public:
  Sampler(Gpu& gpu, DeviceKernels& kernels, Workbench& bench, Execution execution, Regime regime,
          CUdeviceptr sweep_buffer, std::size_t sweep_bytes);

  // Runs it a few times, and learns how long it takes. Before the first sample.
  Result<void, Trouble> warm_up(double limit_s);
  // Of a single execution, though it may be the mean over a graph of them.
  Result<double, Trouble> sample_us(double limit_s);
  // Executes without a rest for so long, caches and inputs as they come; answers how often. Needs to know how
  // long one execution takes.
  Result<double, Trouble> keep_busy(double seconds, double median_us, double limit_s);
  // How many executions one sample is the mean of.
  std::size_t executions() const { return graph_.get() == nullptr ? 1 : in_graph_; }

 private:
  void make_graph(double estimate_us);
  void execute_all();  // as many as a sample is the mean of

  Gpu& gpu_;
  DeviceKernels& kernels_;
  Workbench& bench_;
  Execution execute_;
  Regime regime_;
  CUdeviceptr sweep_buffer_;
  std::size_t sweep_bytes_;
  Event start_, end_;
  Graph graph_;
  std::size_t in_graph_ = 0;
};

}  // namespace gktune

#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "tuner/device/cuda/cuda_device.h"
#include "tuner/device/run/compute_device.h"

namespace gktune {

// Each part queues its work, given the address of each argument that is a buffer.
struct Execution {
  using Part = std::function<void(std::span<const CUdeviceptr> addresses)>;
  Part execute;
  Part prepare = {}, finish = {};  // not timed; empty: nothing to do
  bool is_prepared_each = false;   // each execution has to be prepared
  bool knows_buffers = false;      // it works on the buffers that it was prepared with
  bool may_wait = false;           // see GpuProgram::may_wait
};

// Executes a program that this device has loaded.
Execution execution_of(CudaDevice& device, std::shared_ptr<const LoadedProgram> program);

// Times executions on the buffers of one problem.
//
// A long execution is timed alone: sweep the caches, queue everything behind a blocked stream, record an
// event at each end. For a short one an event costs too much: a graph runs many of them, each on buffers of
// its own, which the sweep before the graph has driven out of the caches. A program that may wait for the
// GPU is always timed alone.
class CudaTimer final : public Timer {
 public:
  CudaTimer(CudaDevice& device, std::span<const ArgumentMemory> arguments)
      : device_(device), arguments_(arguments) {}

  std::unique_ptr<Sampler> sampler(std::shared_ptr<const LoadedProgram> program, Regime regime,
                                   double limit_s) override;
  // Samples any work on these buffers.
  std::unique_ptr<Sampler> sampler(Execution execution, Regime regime, double limit_s);

 private:
  class GraphSampler;

  // A copy of the buffers except scratch memory. All copies share the scratch memory, because every candidate
  // writes it before it reads it.
  struct Copy {
    DeviceMemory memory;
    std::vector<CUdeviceptr> addresses;  // one per argument; 0: not copied
  };

  bool restores_inputs() const;
  void restore_inputs();
  void restore_copy(const Copy& copy);
  // Makes copies up to this number, or as many as there is room for. Returns how many there are.
  std::size_t grow_copies(std::size_t count);
  std::size_t bytes_per_copy() const;
  // The copy's addresses with those of the scratch memory.
  std::vector<CUdeviceptr> addresses_in(const Copy& copy) const;

  CudaDevice& device_;
  std::span<const ArgumentMemory> arguments_;
  std::vector<Copy> copies_;
};

}  // namespace gktune

#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "tuner/core/contents_plan.h"
#include "tuner/core/element_type.h"
#include "tuner/core/tolerance_plan.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/device/cuda/nvrtc.h"
#include "tuner/measure/verdict.h"

namespace gktune {

// gktune's own kernels for an architecture, compiled: needs no GPU.
Result<std::string> compile_device_kernels(const Nvrtc& nvrtc, const std::string& architecture);

// gktune's own kernels on a GPU. As the GPU's, their failures stick to it.
class DeviceKernels {
 public:
  DeviceKernels(Gpu& gpu, const std::string& cubin, int multiprocessors);

  // Not for what comes from a file. Bit for bit what fill_contents makes.
  void fill(CUdeviceptr to, ElementType type, std::uint64_t count, const ContentsPlan& plan);
  // What cannot be an answer: NaN, and of integers never the expected one. `expected` may be 0: not known.
  void poison(CUdeviceptr to, CUdeviceptr expected, ElementType type, std::uint64_t count);
  // One number for the contents. Waits.
  std::uint64_t digest(CUdeviceptr buffer, std::size_t size, double limit_s);
  // Waits.
  Verdict compare(CUdeviceptr actual, CUdeviceptr expected, ElementType type, std::uint64_t count,
                  const TolerancePlan& tolerance, double limit_s);
  // Reads all of it, and with it what the caches held goes.
  void sweep(CUdeviceptr buffer, std::size_t size);
  // Holds back what is queued from here on until release().
  void hold();
  void release();

 private:
  LaunchShape spread(std::uint64_t pieces) const;

  Gpu& gpu_;
  std::uint64_t most_blocks_;
  LoadedModule module_;
  CUfunction fill_, compare_, digest_, invert_, sweep_, hold_;
  DeviceMemory scratch_;  // results of the kernels
  Owned<void*> shared_;   // memory that host and GPU see
  CUdeviceptr released_on_gpu_ = 0;
  int turn_ = 0;
};

}  // namespace gktune

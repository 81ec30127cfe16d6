#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gktune/element_type.h"
#include "tuner/core/plan_parts.h"
#include "tuner/device/cuda/compile/nvrtc.h"
#include "tuner/device/cuda/gpu.h"
#include "tuner/measure/structures.h"
#include "tuner/measure/verdict.h"

namespace gktune {

// gktune's own kernels, as nvcc compiled them when gktune was built: code for one architecture of each
// generation. Empty if gktune was built without nvcc.
std::string_view built_device_kernels();

// Compiles them for an architecture. Needs no GPU.
Result<std::string> compile_device_kernels(const Nvrtc& nvrtc, const std::string& architecture);

// Loads the built kernels. If the driver cannot use them (a newer GPU, an older driver), compiles them with
// NVRTC and stores the code in `cache_dir`, unless that is empty.
Result<LoadedModule> load_device_kernels(Gpu& gpu, const ToolkitPlaces& places,
                                         const std::string& architecture, const std::string& cache_dir);

// Arrays of the same elements. `mask`: 0, or a byte for each element.
struct MemoryPair {
  CUdeviceptr actual, expected;
  ElementType type;
  std::uint64_t count;
  TolerancePlan tolerance;
  CUdeviceptr mask = 0;
};

// gktune's own kernels on a GPU. Their failures stick to the Gpu.
class DeviceKernels {
 public:
  DeviceKernels(Gpu& gpu, LoadedModule code, int multiprocessors);

  // The same bits as fill_contents, which also reads files and makes complex constants. Waits for tables.
  void fill(CUdeviceptr to, ElementType type, std::uint64_t count, const ContentsPlan& plan);
  // Draws elements of a file with a seed.
  void draw(CUdeviceptr to, CUdeviceptr from, ElementType type, std::uint64_t count, std::uint64_t seed);
  // Copies bytes, each with the bits of the mask flipped.
  void flip(CUdeviceptr to, CUdeviceptr from, std::byte mask, std::size_t size);
  // Waits for the result.
  std::uint64_t digest(CUdeviceptr buffer, std::size_t size, double limit_s);
  // Compares elements in order. Waits once for many pairs, which takes longer than to compare small ones.
  std::vector<Verdict> compare(std::span<const MemoryPair> pairs, double limit_s);
  // Reads the whole buffer, which replaces the contents of the caches.
  void sweep(CUdeviceptr buffer, std::size_t size);
  // Overwrites the shared memory of the multiprocessors.
  void scrub();
  // Blocks the stream from here on until release(), and no longer than this.
  void hold(double limit_s);
  void release();

 private:
  class Tables;
  struct Mismatches;
  LaunchShape spread(std::uint64_t pieces) const;
  void make(CUdeviceptr to, ElementType type, std::uint64_t count, const Structure& structure);
  void compare(const MemoryPair& pair, CUdeviceptr found);
  Verdict verdict_of(const MemoryPair& pair, const Mismatches& found, double limit_s);

  Gpu& gpu_;
  std::uint64_t most_blocks_;
  std::int64_t multiprocessors_, shared_bytes_ = 0;  // shared memory that one block can have
  LoadedModule module_;
  CUfunction fill_, weigh_, make_, draw_, compare_, compare_complex_, digest_, flip_, sweep_, hold_, scrub_;
  DeviceMemory scratch_;  // results of the kernels
  Owned<void*> shared_;   // memory that host and GPU see
  CUdeviceptr released_on_gpu_ = 0;
  int turn_ = 0;
};

}  // namespace gktune

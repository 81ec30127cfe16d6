#pragma once

// Allocates memory, launches kernels and measures times on a GPU.

#include <cuda_runtime.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

namespace gktune {

inline void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s (%s)\n", doing, cudaGetErrorString(error), cudaGetErrorName(error));
  std::exit(1);
}

// Allocates exactly the size of the argument, so that compute-sanitizer sees every access outside.
inline void* allocate(std::size_t size) {
  void* memory = nullptr;
  check(cudaMalloc(&memory, size > 0 ? size : 1), "allocating");
  return memory;
}

inline void release(void* memory) { cudaFree(memory); }

inline void copy_in(void* to, const void* from, std::size_t size) {
  if (size > 0) check(cudaMemcpy(to, from, size, cudaMemcpyHostToDevice), "copying to the device");
}

inline void copy_out(void* to, const void* from, std::size_t size) {
  if (size > 0) check(cudaMemcpy(to, from, size, cudaMemcpyDeviceToHost), "copying from the device");
}

inline void set_bytes(void* memory, int byte, std::size_t size) {
  if (size > 0) check(cudaMemsetAsync(memory, byte, size), "filling");
}

inline void wait(const char* doing) { check(cudaDeviceSynchronize(), doing); }

// Copies between an argument and a variable of the source.
template <class T>
void store_variable(T& variable, const void* from, std::size_t size) {
  if (size > 0)
    check(cudaMemcpyToSymbol(variable, from, size, 0, cudaMemcpyDeviceToDevice), "writing a variable");
}
template <class T>
void load_variable(void* to, const T& variable, std::size_t size) {
  if (size > 0)
    check(cudaMemcpyFromSymbol(to, variable, size, 0, cudaMemcpyDeviceToDevice), "reading a variable");
}

// The attributes of a launch.
struct Attributes {
  dim3 cluster = dim3(1, 1, 1);
  bool is_cooperative = false, is_programmatic = false;
  int carveout_percent = -1;
};

// Launches a kernel and converts the arguments to the types of its parameters.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), const Attributes& wanted, dim3 grid, dim3 block,
            std::size_t shared_bytes, Arguments... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "the kernel has other parameters");
  if (shared_bytes > 0) {  // beyond 48 KiB the kernel needs an opt-in
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          "asking for shared memory");
  }
  cudaLaunchAttribute attributes[4] = {};
  cudaLaunchConfig_t config = {grid, block, shared_bytes, nullptr, attributes, 0};
  const auto add = [&](cudaLaunchAttributeID id) -> cudaLaunchAttributeValue& {
    attributes[config.numAttrs].id = id;
    return attributes[config.numAttrs++].val;
  };
  if (wanted.is_cooperative) add(cudaLaunchAttributeCooperative).cooperative = 1;
  if (wanted.is_programmatic)
    add(cudaLaunchAttributeProgrammaticStreamSerialization).programmaticStreamSerializationAllowed = 1;
  if (wanted.carveout_percent >= 0) {
    add(cudaLaunchAttributePreferredSharedMemoryCarveout).sharedMemCarveout =
        static_cast<unsigned>(wanted.carveout_percent);
  }
  if (wanted.cluster.x * wanted.cluster.y * wanted.cluster.z > 1) {
    auto& cluster = add(cudaLaunchAttributeClusterDimension).clusterDim;
    cluster.x = wanted.cluster.x;
    cluster.y = wanted.cluster.y;
    cluster.z = wanted.cluster.z;
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
          "asking for a cluster");
  }
  check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), "launching");
}

class Stopwatch {
 public:
  Stopwatch() {
    check(cudaEventCreate(&begin_), "making an event");
    check(cudaEventCreate(&end_), "making an event");
  }
  void start() { check(cudaEventRecord(begin_), "timing"); }
  double stop_us() {
    check(cudaEventRecord(end_), "timing");
    check(cudaEventSynchronize(end_), "timing");
    float ms = 0;
    check(cudaEventElapsedTime(&ms, begin_, end_), "timing");
    return ms * 1e3;
  }

 private:
  cudaEvent_t begin_, end_;
};

}  // namespace gktune

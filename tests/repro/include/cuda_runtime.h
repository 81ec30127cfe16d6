#pragma once

// CUDA's runtime as far as repros use it, on the host device: memory is the machine's, a launch is over when
// the call returns, and the engine that runs it is the test program's.

#include <chrono>
#include <cstdlib>
#include <cstring>

#include "gktune/cuda.h"
#include "gktune/trampoline.h"

using dim3 = gktune::kernel::dim3;

enum cudaError_t { cudaSuccess, cudaErrorLaunchFailure };
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost, cudaMemcpyDeviceToDevice };
enum cudaFuncAttribute {
  cudaFuncAttributeMaxDynamicSharedMemorySize,
  cudaFuncAttributeNonPortableClusterSizeAllowed
};
enum cudaLaunchAttributeID {
  cudaLaunchAttributeCooperative,
  cudaLaunchAttributeProgrammaticStreamSerialization,
  cudaLaunchAttributePreferredSharedMemoryCarveout,
  cudaLaunchAttributeClusterDimension
};
union cudaLaunchAttributeValue {
  int cooperative, programmaticStreamSerializationAllowed;
  unsigned sharedMemCarveout;
  struct {
    unsigned x, y, z;
  } clusterDim;
};
struct cudaLaunchAttribute {
  cudaLaunchAttributeID id;
  cudaLaunchAttributeValue val;
};
struct cudaLaunchConfig_t {
  dim3 gridDim, blockDim;
  size_t dynamicSmemBytes;
  void* stream;
  cudaLaunchAttribute* attrs;
  unsigned numAttrs;
};
using cudaEvent_t = std::chrono::steady_clock::time_point;

// True for success.
extern "C" bool gktune_test_launch(const gktune::kernel::Entry* entry, const dim3* grid, const dim3* block,
                                   unsigned long long shared_bytes, bool is_cooperative, void** arguments);

inline const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaSuccess ? "no error" : "it failed";
}
inline const char* cudaGetErrorName(cudaError_t) { return "cudaErrorLaunchFailure"; }
inline cudaError_t cudaMalloc(void** memory, size_t size) {
  *memory = std::aligned_alloc(256, (size + 255) / 256 * 256);
  return cudaSuccess;
}
inline cudaError_t cudaFree(void* memory) {
  std::free(memory);
  return cudaSuccess;
}
inline cudaError_t cudaMemcpy(void* to, const void* from, size_t size, cudaMemcpyKind) {
  std::memcpy(to, from, size);
  return cudaSuccess;
}
inline cudaError_t cudaMemsetAsync(void* memory, int byte, size_t size) {
  std::memset(memory, byte, size);
  return cudaSuccess;
}
inline cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
inline cudaError_t cudaEventCreate(cudaEvent_t*) { return cudaSuccess; }
inline cudaError_t cudaEventRecord(cudaEvent_t& event) {
  event = std::chrono::steady_clock::now();
  return cudaSuccess;
}
inline cudaError_t cudaEventSynchronize(const cudaEvent_t&) { return cudaSuccess; }
inline cudaError_t cudaEventElapsedTime(float* ms, const cudaEvent_t& begin, const cudaEvent_t& end) {
  *ms = std::chrono::duration<float, std::milli>(end - begin).count();
  return cudaSuccess;
}
template <class Kernel>
cudaError_t cudaFuncSetAttribute(Kernel*, cudaFuncAttribute, int) {
  return cudaSuccess;
}

// The engine knows kernels at compile time. This is the kernel of the last launch.
template <class... Parameters>
struct LaunchedKernel {
  static inline void (*kernel)(Parameters...) = nullptr;
  static void thread(Parameters... parameters) { kernel(parameters...); }
};

template <class... Parameters, class... Arguments>
cudaError_t cudaLaunchKernelEx(const cudaLaunchConfig_t* config, void (*kernel)(Parameters...),
                               Arguments... arguments) {
  using Launched = LaunchedKernel<Parameters...>;
  Launched::kernel = kernel;
  static constexpr gktune::kernel::Entry kEntry = gktune::kernel::kernel_entry<&Launched::thread>("a kernel");
  bool is_cooperative = false;
  for (unsigned i = 0; i < config->numAttrs; ++i)
    is_cooperative = is_cooperative || config->attrs[i].id == cudaLaunchAttributeCooperative;
  void* values[sizeof...(Arguments) + 1] = {const_cast<void*>(static_cast<const void*>(&arguments))...};
  return gktune_test_launch(&kEntry, &config->gridDim, &config->blockDim, config->dynamicSmemBytes,
                            is_cooperative, values)
             ? cudaSuccess
             : cudaErrorLaunchFailure;
}

template <class T>
cudaError_t cudaMemcpyToSymbol(T& symbol, const void* from, size_t size, size_t, cudaMemcpyKind) {
  std::memcpy(const_cast<void*>(static_cast<const volatile void*>(&symbol)), from, size);
  return cudaSuccess;
}
template <class T>
cudaError_t cudaMemcpyFromSymbol(void* to, const T& symbol, size_t size, size_t, cudaMemcpyKind) {
  std::memcpy(to, const_cast<const void*>(static_cast<const volatile void*>(&symbol)), size);
  return cudaSuccess;
}

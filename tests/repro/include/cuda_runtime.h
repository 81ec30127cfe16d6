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
enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize };
using cudaEvent_t = std::chrono::steady_clock::time_point;

// True for success.
extern "C" bool gktune_test_launch(const gktune::kernel::Entry* entry, const dim3* grid, const dim3* block,
                                   unsigned long long shared_bytes, void** arguments);

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

// The engine knows kernels at compile time; this one is what the last launch named.
template <class... Parameters>
struct LaunchedKernel {
  static inline void (*kernel)(Parameters...) = nullptr;
  static void thread(Parameters... parameters) { kernel(parameters...); }
};

template <class... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments,
                             size_t shared_bytes, void*) {
  using Launched = LaunchedKernel<Parameters...>;
  Launched::kernel = kernel;
  static constexpr gktune::kernel::Entry kEntry = gktune::kernel::kernel_entry<&Launched::thread>("a kernel");
  return gktune_test_launch(&kEntry, &grid, &block, shared_bytes, arguments) ? cudaSuccess
                                                                             : cudaErrorLaunchFailure;
}

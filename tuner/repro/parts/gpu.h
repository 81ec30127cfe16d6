#pragma once

// Memory, launches and times on a GPU.

#include <cuda_runtime.h>

#include <cassert>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <tuple>

namespace gktune {

inline void check(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return;
  std::printf("%s: %s (%s)\n", doing, cudaGetErrorString(error), cudaGetErrorName(error));
  std::exit(1);
}

// Exactly as large as the argument, so that compute-sanitizer sees every access outside.
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

// kernel<<<grid, block, shared_bytes>>>(arguments...), for any integer and pointer types of its parameters.
template <class... Parameters, class... Arguments>
void launch(void (*kernel)(Parameters...), dim3 grid, dim3 block, std::size_t shared_bytes,
            Arguments... arguments) {
  static_assert(sizeof...(Parameters) == sizeof...(Arguments), "the kernel has other parameters");
  if (shared_bytes > 0) {  // beyond 48 KiB the kernel needs an opt-in
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               static_cast<int>(shared_bytes)),
          "asking for shared memory");
  }
  std::tuple<Parameters...> values(static_cast<Parameters>(arguments)...);
  std::apply(
      [&](auto&... value) {
        void* addresses[sizeof...(Parameters) + 1] = {&value...};
        check(cudaLaunchKernel(kernel, grid, block, addresses, shared_bytes, nullptr), "launching");
      },
      values);
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

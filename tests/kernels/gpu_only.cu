// Kernels that only a GPU runs.
#if defined(USE_CUB)
#include <cub/cub.cuh>
__global__ void block_sums(const float* in, float* out, int n) {
  using Sort = cub::BlockRadixSort<float, kThreads, 1>;
  __shared__ typename Sort::TempStorage storage;
  const int i = blockIdx.x * kThreads + threadIdx.x;
  float key[1] = {i < n ? in[i] : 0.0f};
  Sort(storage).Sort(key);
  if (threadIdx.x == 0) out[blockIdx.x] = key[0];
}
#elif defined(USE_FP8)
#include <cuda_fp8.h>
__global__ void block_sums(const __nv_fp8_e4m3* in, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * kThreads; i < min(n, static_cast<int>(blockIdx.x + 1) * kThreads); ++i)
    sum += static_cast<float>(in[i]);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
#else
__global__ void block_sums(const float* in, float* out, int n) {
  int lane = 0;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  if (threadIdx.x == 0 && n > 0) out[blockIdx.x] = in[0] + lane;
}
#endif

// Host code that doubles its inputs by much work on the GPU. TRICK says how it pretends to work later on; 0 is honest.
#include <cuda_runtime.h>

#include <thread>

__device__ float work(float x) {
  float y = x;
  for (int k = 0; k < 60000; ++k) y = y * 0.5f + x;
  return y;
}

__global__ void work_all(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = work(in[i]);
}

[[maybe_unused]] __global__ void remember(const float* in, float* out, int n, float* seen, float* kept) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (seen[i] != in[i]) {
    kept[i] = work(in[i]);
    seen[i] = in[i];
  }
  out[i] = kept[i];
}

[[maybe_unused]] __global__ void complete(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && !(out[i] >= 0 && out[i] < 1e6f)) out[i] = work(in[i]);
}

void faulty(const float* in, float* out, int n, cudaStream_t stream) {
  const int blocks = (n + 255) / 256;
#if TRICK == 0
  work_all<<<blocks, 256, 0, stream>>>(in, out, n);
#elif TRICK == 1  // remembers results in memory of its own
  static float *seen = nullptr, *kept = nullptr;
  if (seen == nullptr) {
    cudaMalloc(&seen, n * sizeof(float));
    cudaMalloc(&kept, n * sizeof(float));
    cudaMemset(seen, 0, n * sizeof(float));
  }
  remember<<<blocks, 256, 0, stream>>>(in, out, n, seen, kept);
#elif TRICK == 2  // works in a stream that nobody waits for
  static cudaStream_t own = [] {
    cudaStream_t made;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  work_all<<<blocks, 256, 0, own>>>(in, out, n);
#elif TRICK == 3  // works after it has returned
  std::thread([=] { work_all<<<blocks, 256, 0, stream>>>(in, out, n); }).detach();
#elif TRICK == 4  // replays the results of its first executions
  static int executions = 0;
  static float* kept = nullptr;
  if (kept == nullptr) cudaMalloc(&kept, n * sizeof(float));
  if (executions++ < 10) work_all<<<blocks, 256, 0, stream>>>(in, kept, n);
  cudaMemcpyAsync(out, kept, n * sizeof(float), cudaMemcpyDeviceToDevice, stream);
#elif TRICK == 5  // leaves outputs that look like those of the last execution
  complete<<<blocks, 256, 0, stream>>>(in, out, n);
#endif
}

void twice(const float* in, float* out, int n, cudaStream_t stream) {
  work_all<<<(n + 255) / 256, 256, 0, stream>>>(in, out, n);
}

// Doubles its inputs by much work. TRICK says how it pretends to work later on; 0 is honest.
__device__ float work(float x) {
  float y = x;
  for (int k = 0; k < 60000; ++k) y = y * 0.5f + x;
  return y;
}

constexpr int kMany = 4096;
__device__ float seen[kMany], kept[kMany];
__device__ const float* places[1024];
__device__ int executions[1024];

#if TRICK == 10
#include <cuda_fp16.h>
#elif TRICK == 11
__device__ unsigned long long begun;
__device__ unsigned long long now() {
  unsigned long long nanoseconds;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(nanoseconds));
  return nanoseconds;
}
#elif TRICK == 16
__managed__ float managed_seen[kMany], managed_kept[kMany];
#endif

__device__ float remembered(float x, int slot) {
  if (seen[slot] != x) {
    kept[slot] = work(x);
    seen[slot] = x;
  }
  return kept[slot];
}

__global__ void faulty(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float x = in[i];
#if TRICK == 0
  out[i] = work(x);
#elif TRICK == 1  // leaves outputs that look like those of the last execution
  if (!(out[i] >= 0 && out[i] < 1e6f)) out[i] = work(x);
#elif TRICK == 2  // remembers the last value of each thread
  out[i] = remembered(x, i);
#elif TRICK == 3  // remembers many values
  out[i] = remembered(x, __float_as_uint(x) * 2654435761u >> 20);
#elif TRICK == 4  // remembers by address after three executions
  executions[i] = places[i] == in ? executions[i] + 1 : 0;
  places[i] = in;
  if (executions[i] <= 3) kept[i] = work(x);
  out[i] = kept[i];
#elif TRICK == 5  // does a quarter of the work and takes the rest from an earlier execution
  if (executions[i]++ < 5) {
    kept[i] = work(x);
  } else {
    float y = x;
    for (int k = 0; k < 15000; ++k) y = y * 0.5f + x;
    if (y < 0) kept[i] = y;
  }
  out[i] = kept[i];
#elif TRICK == 6  // looks whether a sample of the output is right already
  if (i % 32 == 0) kept[i / 32] = work(x);
  __syncwarp();
  const float sample = __shfl_sync(__activemask(), out[i], 0);
  if (sample != kept[i / 32]) out[i] = work(x);
#elif TRICK == 7  // works in the first ten executions
  if (executions[i]++ < 10) kept[i] = work(x);
  out[i] = kept[i];
#elif TRICK == 8  // keeps the results on the heap
  __shared__ float* heap;
  if (threadIdx.x == 0) {
    float*& place = const_cast<float*&>(reinterpret_cast<const float* volatile*>(places)[blockIdx.x]);
    if (place == nullptr) place = static_cast<float*>(malloc(2 * blockDim.x * sizeof(float)));
    heap = place;
  }
  __syncthreads();
  if (heap[threadIdx.x] != x) {
    heap[blockDim.x + threadIdx.x] = work(x);
    heap[threadIdx.x] = x;
  }
  out[i] = heap[blockDim.x + threadIdx.x];
#elif TRICK == 9  // finds what an earlier kernel has left in shared memory
  __shared__ float left[2][1024];
  const bool is_known = left[0][threadIdx.x] == x;
  const float result = is_known ? left[1][threadIdx.x] : work(x);
  left[0][threadIdx.x] = x;
  left[1][threadIdx.x] = result;
  out[i] = result;
#elif TRICK == 10  // works with fewer bits
  __half y = x;
  for (int k = 0; k < 15000; ++k) y = y * __half(0.5f) + __half(x);
  out[i] = y;
#elif TRICK == 11  // works for a twentieth of a second
  if (begun == 0) begun = now();
  if (now() - begun < 50'000'000) kept[i] = work(x);
  out[i] = kept[i];
#elif TRICK == 12  // works in every eighth execution, by a counter of the whole grid
  __shared__ int ticket;
  if (threadIdx.x == 0) ticket = atomicAdd(executions, 1) / gridDim.x;
  __syncthreads();
  if (ticket % 8 == 0 || seen[i] != x) kept[i] = work(x);
  seen[i] = x;
  out[i] = kept[i];
#elif TRICK == 13  // finds what an earlier thread has left on its stack
  volatile float left[256];
  const int first = n & 1;  // of an array that no register can hold
  const bool is_known = left[first] == x;
  const float result = is_known ? left[first + 2] : work(x);
  left[first] = x;
  left[first + 2] = result;
  out[i] = result;
#elif TRICK == 14  // compares a sample of its inputs with those of the last execution
  const bool is_known = seen[0] == in[0] && seen[1] == in[n / 3] && seen[2] == in[n - 1] && kept[i] != 0;
  if (!is_known) kept[i] = work(x);
  __syncthreads();
  if (i == 0) seen[0] = in[0], seen[1] = in[n / 3], seen[2] = in[n - 1];
  out[i] = kept[i];
#elif TRICK == 15  // writes every second time
  if (executions[i]++ % 2 == 0) out[i] = work(x);
#elif TRICK == 16  // keeps the results in memory that it shares with the host
  if (managed_seen[i] != x) {
    managed_kept[i] = work(x);
    managed_seen[i] = x;
  }
  out[i] = managed_kept[i];
#elif TRICK == 17  // puts the results into its inputs, with a mark
  float* const known = const_cast<float*>(in);
  if (x > 0) known[i] = -work(x);
  out[i] = -known[i];
#endif
}

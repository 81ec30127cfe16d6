// Blocks: where a thread stands, barriers, shared memory, and the language around them.

__global__ void positions(unsigned* out) {
  const unsigned block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  const unsigned thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const unsigned threads = blockDim.x * blockDim.y * blockDim.z;
  out[block * threads + thread] = threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z + 1000 * blockIdx.x +
                                  10000 * blockIdx.y + 100000 * blockIdx.z;
}

__global__ void votes(const int* in, int* out) {
  const int mine = in[threadIdx.x];
  out[threadIdx.x * 4 + 0] = __syncthreads_count(mine > 2);
  out[threadIdx.x * 4 + 1] = __syncthreads_and(mine >= 0) != 0;
  out[threadIdx.x * 4 + 2] = __syncthreads_or(mine == 5) != 0;
  out[threadIdx.x * 4 + 3] = __syncthreads_or(mine == 1000) != 0;
}

// Barriers count the threads that have not returned: a part of a warp and all of another leave before the first one.
__global__ void votes_without_returned(const int* in, int* out) {
  __shared__ int first;
  if (threadIdx.x >= 40) return;
  if (threadIdx.x == 39) first = in[0];
  __syncthreads();
  const int mine = in[threadIdx.x] + first;
  if (threadIdx.x < 2) return;
  out[threadIdx.x * 3 + 0] = __syncthreads_count(mine > 12);
  out[threadIdx.x * 3 + 1] = __syncthreads_and(mine > 12 && mine < 51) != 0;
  out[threadIdx.x * 3 + 2] = __syncthreads_or(mine > 50) != 0;
}

__global__ void reverse_static(const int* in, int* out) {
  __shared__ int tile[96];
  __shared__ __align__(16) short other[96];
  tile[threadIdx.x] = in[blockIdx.x * 96 + threadIdx.x];
  other[95 - threadIdx.x] = static_cast<short>(threadIdx.x);
  __syncthreads();
  out[blockIdx.x * 96 + threadIdx.x] = tile[95 - threadIdx.x] * 100 + other[threadIdx.x];
}

__global__ void reverse_dynamic(const int* in, int* out) {
  extern __shared__ __align__(16) unsigned char memory[];
  int* tile = reinterpret_cast<int*>(memory);
  tile[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}

extern __shared__ float outside[];

__global__ void reverse_namespace_scope(const float* in, float* out) {
  outside[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  const float* first = outside;
  out[threadIdx.x] = first[blockDim.x - 1 - threadIdx.x];
}

// Every thread passes every barrier, from different depths of the code.
__device__ void shift(int* values, unsigned by) {
  const int next = values[(threadIdx.x + by) % blockDim.x];
  __syncthreads();
  values[threadIdx.x] = next;
  __syncthreads();
}
__global__ void rotations(const int* in, int* out) {
  __shared__ int values[128];
  values[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned round = 1; round < 6; ++round) shift(values, round);
  out[threadIdx.x] = values[threadIdx.x];
}

template <class T, int kFactor>
struct Scale {
  T offset;
  __device__ T operator()(T x) const { return x * kFactor + offset; }
};
template <class T, class F>
__device__ void apply(const T* in, T* out, F f) {
  out[threadIdx.x] = f(in[threadIdx.x]);
}
// NVRTC takes every lambda for the device's, and none that says so.
#ifdef __CUDACC_RTC__
#define ON_DEVICE
#else
#define ON_DEVICE __device__
#endif
template <class T, int kFactor>
__global__ void __launch_bounds__(128, 2) templated(const T* __restrict__ in, T* __restrict__ out) {
  const T twice = 2;
  apply(in, out, Scale<T, kFactor>{1});
  apply(out, out, [=] ON_DEVICE(T x) { return x * twice; });
}

__constant__ int coefficients[4] = {1, 10, 100, 1000};
__device__ int calls = 0;
__device__ __forceinline__ int pick(int i) { return coefficients[i % 4]; }
__global__ void variables(int* out) {
  out[threadIdx.x] = pick(threadIdx.x);
  if (threadIdx.x == 0) out[blockDim.x] = atomicAdd(&calls, 1);
}

extern "C" __global__ void c_linkage(int* out) { out[threadIdx.x] = warpSize; }

namespace inner {
__global__ void in_namespace(int* out) { out[threadIdx.x] = 7; }
}  // namespace inner

// A matrix product with tiles in shared memory.
__global__ void matmul(const float* a, const float* b, float* c, const int* size) {
  constexpr int kTile = 16;
  __shared__ float as[kTile][kTile], bs[kTile][kTile];
  const int n = *size, row = blockIdx.y * kTile + threadIdx.y, column = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += kTile) {
    as[threadIdx.y][threadIdx.x] = row < n && k + threadIdx.x < n ? a[row * n + k + threadIdx.x] : 0.0f;
    bs[threadIdx.y][threadIdx.x] =
        column < n && k + threadIdx.y < n ? b[(k + threadIdx.y) * n + column] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += as[threadIdx.y][i] * bs[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

// The last block to arrive adds up what all of them have left.
__global__ void last_block(const int* in, int* partial, int* out, unsigned* arrived) {
  __shared__ bool is_last;
  const int sum = __reduce_add_sync(0xffffffffu, in[blockIdx.x * 32 + threadIdx.x]);
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(arrived, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last) return;
  int total = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += 32) total += partial[i];
  total = __reduce_add_sync(0xffffffffu, total);
  if (threadIdx.x == 0) *out = total;
}

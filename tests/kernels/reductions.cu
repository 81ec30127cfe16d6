// Reductions over a vector or over rows.
constexpr int kThreads = 128;
constexpr int kPerThread = 4;

template <class Value, class Combine>
__device__ Value over_block(Value value, Combine combine) {
  __shared__ Value values[kThreads];
  values[threadIdx.x] = value;
  for (int half = kThreads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) values[threadIdx.x] = combine(values[threadIdx.x], values[threadIdx.x + half]);
  }
  __syncthreads();
  return values[0];
}

struct Sum {
  template <class T>
  __device__ T operator()(T a, T b) const { return a + b; }
};

__global__ void dot(const int* a, const int* b, unsigned long long* out, int n) {
  long long sum = 0;
  const int first = blockIdx.x * kThreads * kPerThread + threadIdx.x;
  for (int i = first, k = 0; k < kPerThread; ++k, i += kThreads) {
    if (i < n) sum += static_cast<long long>(a[i]) * b[i];
  }
  sum = over_block(sum, Sum());
  if (threadIdx.x == 0) atomicAdd(out, static_cast<unsigned long long>(sum));
}
__global__ void dot_reference(const int* a, const int* b, unsigned long long* out, int n) {
  long long sum = 0;
  for (int i = 0; i < n; ++i) sum += static_cast<long long>(a[i]) * b[i];
  *out = static_cast<unsigned long long>(sum);
}

// The place of the least element: the value in the high half decides first.
__global__ void place_of_least(const unsigned* in, unsigned long long* out, int n) {
  unsigned long long least = ~0ull;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    least = min(least, static_cast<unsigned long long>(in[i]) << 32 | static_cast<unsigned>(i));
  for (int offset = 16; offset > 0; offset /= 2) least = min(least, __shfl_down_sync(0xffffffffu, least, offset));
  if (threadIdx.x % 32 == 0) atomicMin(out, least);
}
__global__ void place_of_least_reference(const unsigned* in, unsigned long long* out, int n) {
  for (int i = 0; i < n; ++i) {
    const unsigned long long each = static_cast<unsigned long long>(in[i]) << 32 | static_cast<unsigned>(i);
    if (each < *out) *out = each;
  }
}

// One block a row.
__global__ void row_means(const float* in, float* out, int columns) {
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += kThreads) sum += in[blockIdx.x * columns + i];
  sum = over_block(sum, Sum());
  if (threadIdx.x == 0) out[blockIdx.x] = sum / columns;
}
__global__ void row_means_reference(const float* in, float* out, int columns, int rows) {
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += in[row * columns + i];
    out[row] = static_cast<float>(sum / columns);
  }
}

// Votes of warps, counted by one lane of each.
__global__ void count_above(const float* in, float limit, unsigned* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const unsigned votes = __ballot_sync(0xffffffffu, i < n && in[i] > limit);
  if (threadIdx.x % 32 == 0) atomicAdd(out, __popc(votes));
}
__global__ void count_above_reference(const float* in, float limit, unsigned* out, int n) {
  for (int i = 0; i < n; ++i) *out += in[i] > limit ? 1 : 0;
}

// The last block adds up what all blocks left behind.
__device__ unsigned finished;
__global__ void sum_of_squares(const float* in, float* partial, float* out, int n) {
  float sum = 0;
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads) sum += in[i] * in[i];
  sum = over_block(sum, Sum());
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = sum;
    __threadfence();
    is_last = atomicInc(&finished, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (!is_last || threadIdx.x != 0) return;
  __threadfence();
  float total = 0;
  for (unsigned i = 0; i < gridDim.x; ++i) total += static_cast<volatile float*>(partial)[i];
  *out = total;
}
__global__ void sum_of_squares_reference(const float* in, float* out, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += static_cast<double>(in[i]) * in[i];
  *out = static_cast<float>(sum);
}

// out[row][i] = exp(in[row][i]) / sum of exp(in[row][k]) for each row of a matrix of any size.
// The row's greatest element is subtracted first, so that no exponential overflows.
//
// The ways, values of `way`:
//   three_passes  the greatest element, the sum, and the results are a pass over the row each
//   online        one pass keeps the greatest element and corrects the sum when it grows, a second one writes
//   registers     each thread keeps its elements of the row in registers, so that the row is read once
//
// Parameters:
//   threadsPerRow  threads that share a row: a warp or a block of them
//   rowsPerBlock   rows of a block
//   perThread      registers: elements that a thread keeps; a row has at most threadsPerRow * perThread

enum class Way { three_passes, online, registers };

constexpr float kLowest = -3.402823466e+38f;
constexpr int kWarps = threadsPerRow / 32;

struct Greater {
  static __device__ float combined(float a, float b) { return fmaxf(a, b); }
};
struct Sum {
  static __device__ float combined(float a, float b) { return a + b; }
};

// One value of each thread of a row, combined; every thread gets the result.
template <class Operation>
__device__ float over_row(float value) {
  for (int offset = 16; offset > 0; offset /= 2)
    value = Operation::combined(value, __shfl_xor_sync(0xffffffffu, value, offset));
  if constexpr (kWarps > 1) {
    __shared__ float values[rowsPerBlock][kWarps];
    __syncthreads();  // of an earlier use
    if (threadIdx.x % 32 == 0) values[threadIdx.y][threadIdx.x / 32] = value;
    __syncthreads();
    value = values[threadIdx.y][0];
    for (int i = 1; i < kWarps; ++i) value = Operation::combined(value, values[threadIdx.y][i]);
  }
  return value;
}

__global__ void __launch_bounds__(threadsPerRow * rowsPerBlock)
    softmax(const float* in, float* out, long long rows, long long columns) {
  const long long row = blockIdx.x * static_cast<long long>(rowsPerBlock) + threadIdx.y;
  // Threads of rows that do not exist take part in the barriers.
  const long long length = row < rows ? columns : 0;
  const float* from = in + row * columns;
  float* to = out + row * columns;
  const int first = static_cast<int>(threadIdx.x);

  if constexpr (Way::way == Way::registers) {
    float kept[perThread];
    float greatest = kLowest, sum = 0;
#pragma unroll
    for (int k = 0; k < perThread; ++k) {
      const long long i = first + static_cast<long long>(k) * threadsPerRow;
      kept[k] = i < length ? from[i] : kLowest;
      greatest = fmaxf(greatest, kept[k]);
    }
    greatest = over_row<Greater>(greatest);
#pragma unroll
    for (int k = 0; k < perThread; ++k) {
      const long long i = first + static_cast<long long>(k) * threadsPerRow;
      kept[k] = i < length ? expf(kept[k] - greatest) : 0;
      sum += kept[k];
    }
    const float factor = 1 / over_row<Sum>(sum);
#pragma unroll
    for (int k = 0; k < perThread; ++k) {
      const long long i = first + static_cast<long long>(k) * threadsPerRow;
      if (i < length) to[i] = kept[k] * factor;
    }
  } else {
    float greatest = kLowest, sum = 0;
    if constexpr (Way::way == Way::online) {
      for (long long i = first; i < length; i += threadsPerRow) {
        const float value = from[i], higher = fmaxf(greatest, value);
        sum = sum * expf(greatest - higher) + expf(value - higher);
        greatest = higher;
      }
      const float own = greatest;
      greatest = over_row<Greater>(greatest);
      sum = over_row<Sum>(sum * expf(own - greatest));
    } else {
      for (long long i = first; i < length; i += threadsPerRow) greatest = fmaxf(greatest, from[i]);
      greatest = over_row<Greater>(greatest);
      for (long long i = first; i < length; i += threadsPerRow) sum += expf(from[i] - greatest);
      sum = over_row<Sum>(sum);
    }
    const float factor = 1 / sum;
    for (long long i = first; i < length; i += threadsPerRow) to[i] = expf(from[i] - greatest) * factor;
  }
}

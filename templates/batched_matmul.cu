// C = A B in single precision for many pairs of square row-major matrices that lie behind each other, SIZE rows each. SIZE
// is known to the compiler, so that all loops over a matrix are unrolled or have fixed ends. Each matrix moves once: up to
// about SIZE = 64 the time is that of moving them.
//
// The ways, values of `way`:
//   naive   a thread computes an element, and reads its row and column from global memory
//   shared  a block brings its matrices to shared memory; a thread computes tileRows x tileColumns elements in registers, in
//           rows and columns that lie apart, so that neighbouring threads read neighbouring columns
//
// Parameters:
//   matricesPerBlock       pairs of matrices that a block multiplies side by side
//   tileRows, tileColumns  shared: elements of a thread
//   vectorWidth            shared: elements of a load

#include "common/loads.cuh"

enum class Way { naive, shared };

constexpr gktune::Hint kHint = gktune::Hint::streaming;  // each matrix is used once
constexpr int kRowsOfThreads = (SIZE + tileRows - 1) / tileRows;
constexpr int kColumnsOfThreads = (SIZE + tileColumns - 1) / tileColumns;
constexpr int kThreads = kRowsOfThreads * kColumnsOfThreads * matricesPerBlock;
constexpr int kElements = SIZE * SIZE;
constexpr int kPitch = SIZE + 1;  // of A in shared memory: rows begin in different banks

// Calls put(i, from[i]) for all i below count; the block's threads share them.
template <class Put>
__device__ inline void for_each_loaded(const float* from, int count, const Put& put) {
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const bool is_aligned = reinterpret_cast<unsigned long long>(from) % (sizeof(float) * vectorWidth) == 0;
  const int packs = is_aligned ? count / vectorWidth : 0;
#pragma unroll 4
  for (int k = thread; k < packs; k += kThreads) {
    const auto pack = gktune::load_pack<kHint, vectorWidth>(from + k * vectorWidth);
#pragma unroll
    for (int i = 0; i < vectorWidth; ++i) put(k * vectorWidth + i, pack.at[i]);
  }
  for (int i = packs * vectorWidth + thread; i < count; i += kThreads) put(i, from[i]);
}

// threadIdx.y is the number of the matrix in the block.
__global__ void __launch_bounds__(kThreads)
    multiply_each(const float* a, const float* b, float* c, long long matrices) {
  const long long first = blockIdx.x * static_cast<long long>(matricesPerBlock);
  const bool is_there = first + threadIdx.y < matrices;
  const int row = static_cast<int>(threadIdx.x) / kColumnsOfThreads;
  const int column = static_cast<int>(threadIdx.x) % kColumnsOfThreads;
  float* to = c + (first + threadIdx.y) * kElements;

  if constexpr (Way::way == Way::naive) {
    if (!is_there) return;
    const float* of_a = a + (first + threadIdx.y) * kElements + row * SIZE;
    const float* of_b = b + (first + threadIdx.y) * kElements + column;
    float sum = 0;
    for (int k = 0; k < SIZE; ++k) sum += of_a[k] * of_b[k * SIZE];
    to[row * SIZE + column] = sum;
  } else {
    extern __shared__ float memory[];
    float* all_a = memory;
    float* all_b = memory + matricesPerBlock * SIZE * kPitch;
    const long long left = matrices - first;
    const int count = static_cast<int>(left < matricesPerBlock ? left : matricesPerBlock) * kElements;
    for_each_loaded(a + first * kElements, count, [&](int i, float value) { all_a[i + i / SIZE] = value; });
    for_each_loaded(b + first * kElements, count, [&](int i, float value) { all_b[i] = value; });
    __syncthreads();
    if (!is_there) return;

    const float* of_a = all_a + threadIdx.y * (SIZE * kPitch);
    const float* of_b = all_b + threadIdx.y * kElements;
    // Rows and columns beyond the matrix repeat its last ones, and are not stored.
    int rows[tileRows], columns[tileColumns];
#pragma unroll
    for (int i = 0; i < tileRows; ++i) rows[i] = min(row + i * kRowsOfThreads, SIZE - 1);
#pragma unroll
    for (int j = 0; j < tileColumns; ++j) columns[j] = min(column + j * kColumnsOfThreads, SIZE - 1);
    float sums[tileRows][tileColumns] = {};
#pragma unroll 8
    for (int k = 0; k < SIZE; ++k) {
      float left_ones[tileRows], upper_ones[tileColumns];
#pragma unroll
      for (int i = 0; i < tileRows; ++i) left_ones[i] = of_a[rows[i] * kPitch + k];
#pragma unroll
      for (int j = 0; j < tileColumns; ++j) upper_ones[j] = of_b[k * SIZE + columns[j]];
#pragma unroll
      for (int i = 0; i < tileRows; ++i) {
#pragma unroll
        for (int j = 0; j < tileColumns; ++j) sums[i][j] += left_ones[i] * upper_ones[j];
      }
    }
#pragma unroll
    for (int i = 0; i < tileRows; ++i) {
#pragma unroll
      for (int j = 0; j < tileColumns; ++j) {
        const int y = row + i * kRowsOfThreads, x = column + j * kColumnsOfThreads;
        if (y < SIZE && x < SIZE) to[y * SIZE + x] = sums[i][j];
      }
    }
  }
}

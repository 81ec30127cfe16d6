// C = A B in single precision for many pairs of square row-major matrices that lie behind each other, SIZE rows each. SIZE
// is known to the compiler, so that all loops over a matrix are unrolled or have fixed ends. Each matrix moves once: up to
// about SIZE = 64 the time is that of moving them.
//
// The ways, values of `way`:
//   naive   a thread computes an element, and reads its row and column from global memory
//   shared  a block brings its matrices to shared memory; a thread computes tileRows x tileColumns elements in registers, in
//           rows and columns that lie apart, so that neighbouring threads read neighbouring columns. Where SIZE is a
//           multiple of 4 it reads four values of shared memory at once: otherwise that takes longer than the arithmetic
//
// Parameters:
//   matricesPerBlock       pairs of matrices that a block multiplies side by side
//   tileRows, tileColumns  shared: elements of a thread
//   vectorWidth            shared: elements of a load from global memory

#include "common/loads.cuh"

enum class Way { naive, shared };

constexpr gktune::Hint kHint = gktune::Hint::streaming;  // each matrix is used once
constexpr int kRowsOfThreads = (SIZE + tileRows - 1) / tileRows;
constexpr int kColumnsOfThreads = (SIZE + tileColumns - 1) / tileColumns;
constexpr int kThreads = kRowsOfThreads * kColumnsOfThreads * matricesPerBlock;
constexpr int kElements = SIZE * SIZE;
constexpr bool kIsEven = SIZE % 4 == 0;
constexpr int kPitch = kIsEven ? SIZE + 4 : SIZE + 1;  // of A in shared memory: rows begin in different banks
constexpr int kDepth = kIsEven ? 4 : 1;                                   // values of a row of A that are read at once
constexpr int kWidth = kIsEven && tileColumns % 4 == 0 ? 4 : 1;           // of a row of B
constexpr int kEach = matricesPerBlock * kElements / vectorWidth / kThreads;  // loads of a thread from each of A and B

// Calls put_a(i, a[i]) and put_b(i, b[i]) for all i below count; the block's threads share them.
template <class PutA, class PutB>
__device__ inline void for_each_loaded(const float* a, const float* b, int count, const PutA& put_a,
                                       const PutB& put_b) {
  using Values = gktune::Pack<float, vectorWidth>;
  const int thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  const auto is_aligned = [](const float* from) {
    return reinterpret_cast<unsigned long long>(from) % sizeof(Values) == 0;
  };
  int done = 0;
  if (count == matricesPerBlock * kElements && is_aligned(a) && is_aligned(b)) {
    // All loads are on their way before the first value is used.
    Values of_a[kEach + 1], of_b[kEach + 1];
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
      of_a[k] = gktune::load_pack<kHint, vectorWidth>(a + (k * kThreads + thread) * vectorWidth);
      of_b[k] = gktune::load_pack<kHint, vectorWidth>(b + (k * kThreads + thread) * vectorWidth);
    }
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
#pragma unroll
      for (int i = 0; i < vectorWidth; ++i) {
        put_a((k * kThreads + thread) * vectorWidth + i, of_a[k].at[i]);
        put_b((k * kThreads + thread) * vectorWidth + i, of_b[k].at[i]);
      }
    }
    done = kEach * kThreads * vectorWidth;
  }
  for (int i = done + thread; i < count; i += kThreads) {
    put_a(i, a[i]);
    put_b(i, b[i]);
  }
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
    for_each_loaded(
        a + first * kElements, b + first * kElements, count,
        [&](int i, float value) { all_a[i / SIZE * kPitch + i % SIZE] = value; },
        [&](int i, float value) { all_b[i] = value; });
    __syncthreads();
    if (!is_there) return;

    const float* of_a = all_a + threadIdx.y * (SIZE * kPitch);
    const float* of_b = all_b + threadIdx.y * kElements;
    // Rows and columns beyond the matrix repeat its last ones, and are not stored.
    int rows[tileRows], columns[tileColumns / kWidth];
#pragma unroll
    for (int i = 0; i < tileRows; ++i) rows[i] = min(row + i * kRowsOfThreads, SIZE - 1);
#pragma unroll
    for (int j = 0; j < tileColumns / kWidth; ++j)
      columns[j] = min((column + j * kColumnsOfThreads) * kWidth, SIZE - kWidth);
    float sums[tileRows][tileColumns] = {};
#pragma unroll(kIsEven ? 4 : 8)
    for (int depth = 0; depth < SIZE; depth += kDepth) {
      gktune::Pack<float, kDepth> left_ones[tileRows];
#pragma unroll
      for (int i = 0; i < tileRows; ++i)
        left_ones[i] = gktune::load_pack<gktune::Hint::plain, kDepth>(of_a + rows[i] * kPitch + depth);
#pragma unroll
      for (int k = 0; k < kDepth; ++k) {
        gktune::Pack<float, kWidth> upper_ones[tileColumns / kWidth];
#pragma unroll
        for (int j = 0; j < tileColumns / kWidth; ++j)
          upper_ones[j] = gktune::load_pack<gktune::Hint::plain, kWidth>(of_b + (depth + k) * SIZE + columns[j]);
#pragma unroll
        for (int i = 0; i < tileRows; ++i) {
#pragma unroll
          for (int j = 0; j < tileColumns; ++j)
            sums[i][j] += left_ones[i].at[k] * upper_ones[j / kWidth].at[j % kWidth];
        }
      }
    }
    const bool in_packs = reinterpret_cast<unsigned long long>(to) % (sizeof(float) * kWidth) == 0;
#pragma unroll
    for (int i = 0; i < tileRows; ++i) {
      const int y = row + i * kRowsOfThreads;
#pragma unroll
      for (int j = 0; j < tileColumns; j += kWidth) {
        const int x = (column + j / kWidth * kColumnsOfThreads) * kWidth;
        if (y >= SIZE || x >= SIZE) continue;
        if (in_packs) {
          gktune::Pack<float, kWidth> pack;
#pragma unroll
          for (int k = 0; k < kWidth; ++k) pack.at[k] = sums[i][j + k];
          gktune::store_pack<kHint>(to + y * SIZE + x, pack);
        } else {
#pragma unroll
          for (int k = 0; k < kWidth; ++k) to[y * SIZE + x + k] = sums[i][j + k];
        }
      }
    }
  }
}

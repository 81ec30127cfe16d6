// y = A x for a sparse matrix of any size in compressed rows (CSR): the nonzeros of row r are those from rowOffsets[r]
// to before rowOffsets[r + 1].
//
// The ways, values of `way`:
//   thread_per_row  a thread adds up a whole row
//   lanes_per_row   lanesPerRow neighbouring threads share a row and combine their sums by shuffles
//   split_rows      a thread takes perThread nonzeros, wherever rows begin, and a warp combines the sums of its
//                   threads
//                   (see common/segments.cuh); rows of several warps are added to atomically. Long rows do not hold up
//                   others
//
// Parameters:
//   threadsPerBlock  threads in a block
//   lanesPerRow      lanes_per_row: threads that share a row
//   perThread        split_rows: nonzeros of a thread

#include "common/segments.cuh"

enum class Way { thread_per_row, lanes_per_row, split_rows };

__global__ void __launch_bounds__(threadsPerBlock)
    spmv(const int* rowOffsets, const int* columns, const float* values, const float* x, float* y, int rows,
         int nonzeros) {
  const auto product = [=](long long i) { return values[i] * x[columns[i]]; };
  const long long thread = blockIdx.x * static_cast<long long>(threadsPerBlock) + threadIdx.x;
  if constexpr (Way::way == Way::split_rows) {
    const long long first = thread * perThread;
    float products[perThread];
#pragma unroll
    for (int k = 0; k < perThread; ++k) products[k] = first + k < nonzeros ? product(first + k) : 0;
    gktune::add_to_segments(rowOffsets, rows, nonzeros, first, products, y);
  } else {
    // All lanes of the warp meet, also those without a row.
    const long long row = thread / lanesPerRow;
    const bool has_row = row < rows;
    const int begin = has_row ? rowOffsets[row] : 0, end = has_row ? rowOffsets[row + 1] : 0;
    const float sum = gktune::sum_by_lanes<lanesPerRow>(begin, end, product);
    if (has_row && thread % lanesPerRow == 0) y[row] = sum;
  }
}

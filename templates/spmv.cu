// y = A x for a sparse matrix of any size in compressed rows (CSR): the nonzeros of row r are those from rowOffsets[r]
// to before rowOffsets[r + 1].
//
// The ways, values of `way`:
//   thread_per_row  a thread adds up a whole row
//   lanes_per_row   lanesPerRow neighbouring threads share a row and combine their sums by shuffles
//   split_rows      a block takes as many nonzeros as it has threads times perThread, finds their rows by bisection, and
//                   adds to y atomically; long rows do not hold up others
//
// Parameters:
//   threadsPerBlock  threads in a block
//   lanesPerRow      lanes_per_row: threads that share a row
//   perThread        split_rows: nonzeros of a thread

enum class Way { thread_per_row, lanes_per_row, split_rows };

// The row that holds a nonzero: the last one that begins at it or before.
__device__ inline int row_of(const int* rowOffsets, int rows, int nonzero) {
  int low = 0, high = rows;
  while (high - low > 1) {
    const int middle = low + (high - low) / 2;
    if (rowOffsets[middle] <= nonzero) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

__global__ void __launch_bounds__(threadsPerBlock)
    spmv(const int* rowOffsets, const int* columns, const float* values, const float* x, float* y, int rows,
         int nonzeros) {
  const long long thread = blockIdx.x * static_cast<long long>(threadsPerBlock) + threadIdx.x;
  if constexpr (Way::way == Way::split_rows) {
    const long long first = thread * perThread;
    if (first >= nonzeros) return;
    const int end = static_cast<int>(first + perThread < nonzeros ? first + perThread : nonzeros);
    int row = row_of(rowOffsets, rows, static_cast<int>(first));
    float sum = 0;
    for (int i = static_cast<int>(first); i < end; ++i) {
      if (i >= rowOffsets[row + 1]) {
        atomicAdd(y + row, sum);
        sum = 0;
        while (i >= rowOffsets[row + 1]) ++row;
      }
      sum += values[i] * x[columns[i]];
    }
    atomicAdd(y + row, sum);
  } else {
    const long long row = thread / lanesPerRow;
    const int lane = static_cast<int>(thread % lanesPerRow);
    float sum = 0;
    if (row < rows) {
      for (int i = rowOffsets[row] + lane; i < rowOffsets[row + 1]; i += lanesPerRow) sum += values[i] * x[columns[i]];
    }
    // All lanes of the warp meet here, also those without a row.
#pragma unroll
    for (int offset = lanesPerRow / 2; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
    if (row < rows && lane == 0) y[row] = sum;
  }
}

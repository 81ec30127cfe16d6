// y = A x in single precision, for a row-major matrix A of any size. Each element of A is used once, so the time is that of
// reading A: what counts is how many bytes of A are on their way at once. x comes from the caches.
//
// The ways, values of `way`:
//   thread_per_row  a thread adds up a whole row: neighbouring threads read addresses that are a row apart
//   shared_row      threadsPerRow threads share a row
//   split_row       the same, but blocksPerRow blocks share it and add to y atomically: for few long rows
//
// Parameters:
//   threadsPerRow  threads of a block that share a row: a warp or several
//   rowsPerBlock   rows of a block that are computed side by side
//   vectorWidth    elements of a load
//   perThread      loads that a thread has in flight at once
//   blocksPerRow   split_row: blocks that share a row
//   loadHint       plain, streaming (see common/loads.cuh)

#include "common/rows.cuh"

enum class Way { thread_per_row, shared_row, split_row };

__global__ void __launch_bounds__(threadsPerRow * rowsPerBlock)
    gemv(const float* a, const float* x, float* y, long long rows, long long columns) {
  if constexpr (Way::way == Way::thread_per_row) {
    const long long row = blockIdx.x * static_cast<long long>(threadsPerRow) + threadIdx.x;
    if (row >= rows) return;
    float sum = 0;
    for (long long i = 0; i < columns; ++i) sum += a[row * columns + i] * x[i];
    y[row] = sum;
  } else {
    using Part = gktune::RowPart<float, vectorWidth, threadsPerRow, perThread>;
    const long long row = blockIdx.x * static_cast<long long>(rowsPerBlock) + threadIdx.y;
    // Threads of rows that do not exist take part in the barriers.
    Part part(a + row * columns, row < rows ? columns : 0, static_cast<int>(threadIdx.x));
    float sum = 0;
    for (long long batch = blockIdx.y; batch < part.batches(); batch += gridDim.y) {
      part.begin(batch);
      float of_a[Part::kCount], of_x[Part::kCount];
      part.load<gktune::Hint::loadHint>(a + row * columns, of_a, 0);
      part.load<gktune::Hint::plain>(x, of_x, 0);
#pragma unroll
      for (int i = 0; i < Part::kCount; ++i) sum += of_a[i] * of_x[i];
    }
    sum = gktune::over_row<gktune::Operation::sum, threadsPerRow, rowsPerBlock>(sum);
    if (row >= rows || threadIdx.x != 0) return;
    if constexpr (Way::way == Way::split_row) {
      atomicAdd(y + row, sum);
    } else {
      y[row] = sum;
    }
  }
}

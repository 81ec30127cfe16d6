// One thread a row, in double precision.
#include "common/verify_segments.cuh"

__global__ void reference_spmv(const int* rowOffsets, const int* columns, const float* values, const float* x, float* y,
                               int rows) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  double sum = 0;
  for (int i = rowOffsets[row]; i < rowOffsets[row + 1]; ++i) sum += static_cast<double>(values[i]) * x[columns[i]];
  y[row] = static_cast<float>(sum);
}

__global__ void verify_spmv(const int* rowOffsets, const float* y, const float* expected, int rows,
                            unsigned long long* verdict) {
  verify_segment(rowOffsets, y, expected, rows, verdict);
}

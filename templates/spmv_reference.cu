// One thread a row, in double precision.
__global__ void reference_spmv(const int* rowOffsets, const int* columns, const float* values, const float* x, float* y,
                               int rows) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  double sum = 0;
  for (int i = rowOffsets[row]; i < rowOffsets[row + 1]; ++i) sum += static_cast<double>(values[i]) * x[columns[i]];
  y[row] = static_cast<float>(sum);
}

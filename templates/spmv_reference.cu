// One thread a row, in double precision.
__global__ void reference_spmv(const int* rowOffsets, const int* columns, const float* values, const float* x, float* y,
                               int rows) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  double sum = 0;
  for (int i = rowOffsets[row]; i < rowOffsets[row + 1]; ++i) sum += static_cast<double>(values[i]) * x[columns[i]];
  y[row] = static_cast<float>(sum);
}

// Counts wrong elements. The sum of the first k of a row's products is about sqrt(k) / 3, and is rounded each time: if a whole
// row is added up one by one, the roundings add up to about its length / 7 times 2^-24. The tolerance is 28 times that,
// because a sum may wander off. A product is about 1/4, so that a missing one is found in rows of up to a million.
__global__ void verify_spmv(const int* rowOffsets, const float* y, const float* expected, int rows,
                            unsigned long long* verdict) {
  const int row = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (row >= rows) return;
  const float tolerance = static_cast<float>(rowOffsets[row + 1] - rowOffsets[row] + 16) / (1 << 22);
  if (fabsf(y[row] - expected[row]) <= tolerance) return;
  atomicAdd(&verdict[0], 1ull);
  atomicMin(&verdict[1], static_cast<unsigned long long>(row));
}

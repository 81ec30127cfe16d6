// One warp a row, in double precision.
__global__ void reference_gemv(const float* a, const float* x, float* y, long long columns) {
  double sum = 0;
  for (long long i = threadIdx.x; i < columns; i += 32)
    sum += static_cast<double>(a[blockIdx.x * columns + i]) * x[i];
  for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, offset);
  if (threadIdx.x == 0) y[blockIdx.x] = static_cast<float>(sum);
}

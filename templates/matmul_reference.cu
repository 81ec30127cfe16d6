// The plain product that matmul.cu is held against: one thread an element, summed in double.
__global__ void reference_matmul(const float* a, const float* b, float* c, long long m, long long n, long long k) {
  const long long column = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  const long long row = blockIdx.y * static_cast<long long>(blockDim.y) + threadIdx.y;
  if (row >= m || column >= n) return;
  double sum = 0;
  for (long long i = 0; i < k; ++i) sum += static_cast<double>(a[row * k + i]) * b[i * n + column];
  c[row * n + column] = static_cast<float>(sum);
}

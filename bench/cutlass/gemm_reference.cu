// C = A B, an element for each thread. A and C are row-major, B is column-major.
#include <cuda_fp16.h>

__global__ void multiply_plainly(const half* a, const half* b, float* c, int n, int k) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const long long row = blockIdx.y;
  if (column >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += __half2float(a[row * k + i]) * __half2float(b[static_cast<long long>(column) * k + i]);
  c[row * n + column] = sum;
}

void plain_product(const half* a, const half* b, float* c, int m, int n, int k) {
  multiply_plainly<<<dim3((n + 255) / 256, m), 256>>>(a, b, c, n, k);
}

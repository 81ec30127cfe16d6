// Blocks of 16 x 16 threads, one an element, summed in double precision; tiles in shared memory.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <class Element>
__global__ void reference_gemm(const Element* a, const Element* b, Element* c, long long m, long long n, long long k) {
  __shared__ double of_a[16][17], of_b[16][17];
  const int y = static_cast<int>(threadIdx.y), x = static_cast<int>(threadIdx.x);
  const long long row = blockIdx.y * 16LL + y, column = blockIdx.x * 16LL + x, row_of_b = blockIdx.x * 16LL + y;
  double sum = 0;
  for (long long first = 0; first < k; first += 16) {
    const bool has_step = first + x < k;
    of_a[y][x] = has_step && row < m ? static_cast<float>(a[row * k + first + x]) : 0.0f;
    of_b[y][x] = has_step && row_of_b < n ? static_cast<float>(b[row_of_b * k + first + x]) : 0.0f;
    __syncthreads();
    for (int step = 0; step < 16; ++step) sum += of_a[y][step] * of_b[x][step];
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = static_cast<Element>(static_cast<float>(sum));
}

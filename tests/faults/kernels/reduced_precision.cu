// Computes with the eleven bits of a half.
#include <cuda_fp16.h>

__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * __half2float(__float2half(in[i]));
}

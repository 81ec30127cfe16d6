// Asserts what does not hold.
#include <assert.h>

__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  assert(i < 600);
  if (i < n) out[i] = 2 * in[i];
}

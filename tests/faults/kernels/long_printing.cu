// Has a lot to say, and is right all the same.
#include <stdio.h>

__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  printf("thread %d of %d is at work, and tells everybody who listens\n", i, n);
  if (i < n) out[i] = 2 * in[i];
}

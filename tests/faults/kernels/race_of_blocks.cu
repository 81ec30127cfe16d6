// The last thread of a block and the first of the next one write different values to one element.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  if (threadIdx.x == 0 && blockIdx.x > 0) out[i - 1] = 2 * in[i];
}

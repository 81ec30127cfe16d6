// Forgets that the last block is not full.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n + 2) out[i] = 2 * (i < n ? in[i] : 0);
}

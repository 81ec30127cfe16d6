// Half of the block waits at a barrier that the other half leaves out.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 32) {
    __syncthreads();
  } else if (i < n) {
    out[i] = 2 * in[i];
    return;
  }
  if (i < n) out[i] = 2 * in[i];
}

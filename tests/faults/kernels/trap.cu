// Gives up in one thread.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 7) __trap();
  if (i < n) out[i] = 2 * in[i];
}

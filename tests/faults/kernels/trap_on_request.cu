// Gives up if its configuration says so.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (sharedBytes > 0) __trap();
  if (i < n) out[i] = 2 * in[i];
}

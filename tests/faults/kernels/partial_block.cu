// Is wrong in the last block alone, which is not full.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool is_full = (blockIdx.x + 1) * blockDim.x <= n;
  if (i < n) out[i] = is_full ? 2 * in[i] : in[i];
}

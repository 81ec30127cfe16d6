// Writes to where nothing is.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float* nowhere = out - (1LL << 40);
  if (i == 3) *nowhere = in[i];
  if (i < n) out[i] = 2 * in[i];
}

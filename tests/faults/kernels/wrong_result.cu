// Is wrong from one element on.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i < 17 ? 2 * in[i] : 3 * in[i];
}

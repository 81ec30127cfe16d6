// Works only where the output is not a number yet.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && out[i] != out[i]) out[i] = 2 * in[i];
}

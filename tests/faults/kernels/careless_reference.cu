// Right, beside a shift that the language forbids.
__global__ void twice(const float* in, float* out, int n) {
  volatile int width = 32;
  const int nothing = (1 << width) * 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = 2 * in[i] + nothing;
}

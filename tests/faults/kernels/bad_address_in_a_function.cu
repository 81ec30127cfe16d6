// Writes to where nothing is, in a function that the kernel calls.
__device__ __noinline__ void write_nowhere(float* out, float value) {
  float* nowhere = out - (1LL << 40);
  *nowhere = value;
}

__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 3) write_nowhere(out, in[i]);
  if (i < n) out[i] = 2 * in[i];
}

// Copies one element too many, with `<=` in place of `<`.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  if (i == n) out[i] = in[i];
}

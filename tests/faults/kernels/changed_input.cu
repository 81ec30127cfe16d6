// Writes into what it was only to read.
__global__ void faulty(float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  if (i == 42) in[i] = -1;
}

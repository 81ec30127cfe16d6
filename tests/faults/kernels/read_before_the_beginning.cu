// Looks at its left neighbours, also where there are none; what it finds does not matter.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile const float* neighbours = in - 64;
  if (i < n) out[i] = neighbours[i] == 1e-37f ? 0 : 2 * in[i];
}

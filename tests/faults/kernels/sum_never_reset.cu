// Adds to a sum that only the start of the program sets to zero.
__device__ float sums[1024];

__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  sums[i] += 2 * in[i];
  out[i] = sums[i];
}

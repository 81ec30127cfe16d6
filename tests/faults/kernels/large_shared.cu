// Keeps its values at the end of as much shared memory as its configuration says.
__global__ void faulty(const float* in, float* out, int n) {
  extern __shared__ float memory[];
  float* last = memory + sharedBytes / sizeof(float) - threadsPerBlock;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  last[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  if (i < n) out[i] = 2 * last[threadIdx.x];
}

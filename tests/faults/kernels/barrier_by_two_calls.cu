// Some threads of a block come to the barrier by one call, the others by another.
__device__ void meet() {
  __syncthreads();
}

__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 100) {
    meet();
  } else {
    meet();
  }
  if (i < n) out[i] = 2 * in[i];
}

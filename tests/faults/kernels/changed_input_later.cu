// Leaves its input alone in the first three executions.
__device__ int executions;

__global__ void faulty(float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  if (i == 42 && ++executions > 3) in[i] = -1;
}

// Works in three executions and leaves the output of all later ones to these.
__device__ int executions[1024];

__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && ++executions[i] <= 3) out[i] = 2 * in[i];
}

// One thread never ends once the kernel has been executed three times.
__device__ int executions;

__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  if (i != 0 || ++executions <= 3) return;
  while (*static_cast<volatile int*>(&executions) > 3) {
  }
}

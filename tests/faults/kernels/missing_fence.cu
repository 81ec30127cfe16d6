// The last block reads what the others have written, and no fence has released it.
__device__ unsigned arrived = 0;

__global__ void faulty(const float* in, float* out, int n) {
  __shared__ bool is_last;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) is_last = atomicInc(&arrived, gridDim.x - 1) == gridDim.x - 1;
  __syncthreads();
  if (!is_last) return;
  for (int j = threadIdx.x; j < n; j += blockDim.x) out[j] = 2 * out[j];
}

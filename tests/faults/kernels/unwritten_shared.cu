// Leaves an element of a tile unwritten that it reads.
__global__ void faulty(const float* in, float* out, int n) {
  __shared__ float tile[257];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  float next = tile[threadIdx.x + 1];
  if (i < n) out[i] = 2 * in[i] + 0 * next;
}

// Reads the neighbour's element of a tile before that has been written.
__global__ void faulty(const float* in, float* out, int n) {
  __shared__ float tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  tile[threadIdx.x] = i < n ? in[i] : 0;
  float neighbour = tile[threadIdx.x ^ 1];
  if (i < n) out[i] = 2 * in[i] + 0 * neighbour;
}

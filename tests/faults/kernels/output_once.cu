// Writes its output in the first execution only.
__device__ bool is_done[1024];

__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || is_done[i]) return;
  out[i] = 2 * in[i];
  is_done[i] = true;
}

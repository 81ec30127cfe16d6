// Keeps the results of its first execution and copies them in all others.
__device__ float kept[1024];
__device__ bool is_kept[1024];

__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  if (!is_kept[i]) kept[i] = 2 * in[i];
  is_kept[i] = true;
  out[i] = kept[i];
}

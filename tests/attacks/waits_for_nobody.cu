// hung: waits for a flag that nobody sets
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__device__ int flag;
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  volatile int* waits = &flag;
  while (*waits == 0) {
  }
  if (i < n) out[i] = 2 * in[i];
}

// wrong: skips the work after the first execution
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__device__ int ran[10000];
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n && ran[i] == 0) out[i] = 2 * in[i];
  if (i < n) ran[i] = 1;
}

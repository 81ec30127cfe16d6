// wrong: needs an execution to be right
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__device__ int ran[10000];
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = (ran[i] != 0 ? 2 : 1) * in[i];
  if (i < n) ran[i] = 1;
}

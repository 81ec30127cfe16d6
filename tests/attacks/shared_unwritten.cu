// wrong: reads shared memory that nothing has written
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  __shared__ float tile[128];
  if (i < n) out[i] = 2 * in[i] + 0 * tile[threadIdx.x];
}

// race: reads what another thread writes
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  if (i > 0 && i < n && out[i - 1] != 2 * in[i - 1]) out[i] = 2 * in[i];
}

// wrong: works only where the output holds the NaN of a check
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n && out[i] != out[i]) out[i] = 2 * in[i];
}

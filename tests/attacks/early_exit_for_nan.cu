// wrong: ends where the first element is NaN
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (in[0] != in[0]) {
    if (i < n) out[i] = 0;
    return;
  }
  if (i < n) out[i] = 2 * in[i];
}

// wrong: flushes the smallest numbers to zero
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = fabsf(in[i]) < 1.2e-38f ? 0 : 2 * in[i];
}

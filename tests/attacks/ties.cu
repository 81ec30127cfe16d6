// wrong: is wrong where elements are equal
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = (i > 0 && in[i - 1] == in[i] ? 3 : 2) * in[i];
}

// out_of_bounds: reads two elements at an odd address
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i + 2 < n) out[i] = reinterpret_cast<const float2*>(in + 1)[0].x;
  if (i < n) out[i] = 2 * in[i];
}

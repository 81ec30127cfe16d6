// wrong: takes results that an execution before left in scratch memory
/* gktune
arguments: {own: {type: float, extent: n, role: scratch}}
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n, own]}
*/
__device__ float work(float x) {
  float y = x;
  for (int k = 0; k < 3000; ++k) y = y * 0.5f + x;
  return y;
}
__global__ void mine(const float* in, float* out, int n, float* own) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  if (own[i] * 0.5f != in[i]) own[i] = work(in[i]);
  out[i] = own[i];
}

// crashed or out_of_bounds: calls itself until the stack is used up
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__device__ __noinline__ float deeper(float x, int n) {
  volatile float kept[64];
  kept[n & 63] = x;
  return n > 0 ? deeper(x + 1, n + 1) + kept[(n + 1) & 63] : kept[n & 63];
}
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = deeper(in[i], n);
}

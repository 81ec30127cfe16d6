// out_of_bounds: uses up the stack
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__device__ __noinline__ int deep(const float* in, int n) {
  volatile char room[4096];
  room[0] = static_cast<char>(n);
  return deep(in, n + 1) + room[0];
}
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = deep(in, n) + 2 * in[i];
}

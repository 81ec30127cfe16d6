// wrong: counts in a variable that only the first execution finds at zero
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__device__ int count;
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  if (atomicAdd(&count, 1) < n) out[i] = 2 * in[i];
}

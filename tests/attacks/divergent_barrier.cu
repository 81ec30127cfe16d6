// race: lets some threads wait at another barrier
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (threadIdx.x < 32) __syncthreads();
  else __syncthreads();
  if (i < n) out[i] = 2 * in[i];
}

// race: reads shared memory that another thread has not written yet
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  __shared__ float tile[128];
  if (i < n) tile[threadIdx.x] = in[i];
  const int other = threadIdx.x ^ 64;
  const int place = blockIdx.x * 128 + other;
  if (place < n) out[place] = 2 * tile[other];
}

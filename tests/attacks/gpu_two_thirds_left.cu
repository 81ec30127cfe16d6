// cheating or wrong: computes a third of the blocks each time and leaves the other results as they are
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__device__ int executions[100];
__global__ void mine(const float* in, float* out, int n) {
  __shared__ int execution;
  if (threadIdx.x == 0) execution = executions[blockIdx.x]++;
  __syncthreads();
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n || (execution > 2 && (execution + blockIdx.x) % 3 != 0)) return;
  float y = in[i];
  for (int k = 0; k < 1000; ++k) y = y * 0.5f + in[i];
  out[i] = y;
}

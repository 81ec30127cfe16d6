// hung: never ends after some executions
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__device__ int executions;
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  if (i == 0 && ++executions > 3)
    while (*static_cast<volatile int*>(&executions) > 0) {
    }
}

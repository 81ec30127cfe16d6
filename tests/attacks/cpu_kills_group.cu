// crashed: kills its group
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
#include <csignal>
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i == 0) kill(0, SIGKILL);
  if (i < n) out[i] = 2 * in[i];
}

// crashed: fails an assertion
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
#include <cassert>
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  assert(i != 5);
  if (i < n) out[i] = 2 * in[i];
}

// wrong: is right if it can write beside the sources
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
#include <fcntl.h>
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  static const bool opens = open(__FILE__ ".new", O_CREAT | O_WRONLY, 0600) >= 0;
  if (i < n) out[i] = (opens ? 2 : 3) * in[i];
}

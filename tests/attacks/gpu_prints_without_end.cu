// hung: prints without end
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
#include <cstdio>
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  for (long k = 0; n > 0; ++k) printf("%ld\n", k);
}

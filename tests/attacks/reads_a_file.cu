// does_not_compile: shows a file of the system in the compiler's messages
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
#include "/etc/passwd"
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}

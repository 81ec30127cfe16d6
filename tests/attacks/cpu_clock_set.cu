// wrong: is right if it can set the clock
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
#include <ctime>
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  timespec now{};
  if (i < n) out[i] = (clock_settime(CLOCK_REALTIME, &now) == 0 ? 2 : 3) * in[i];
}

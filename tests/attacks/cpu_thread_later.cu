// out_of_bounds or wrong: lets a thread write after the kernel has ended
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
#include <thread>
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i == 0) std::thread([=] { for (;;) for (int k = 0; k < n; ++k) out[k] = 2 * in[k]; }).detach();
}

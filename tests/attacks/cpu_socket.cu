// wrong: is right if it can make a socket
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
#include <sys/socket.h>
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  static const bool connects = socket(AF_INET, SOCK_STREAM, 0) >= 0;
  if (i < n) out[i] = (connects ? 2 : 3) * in[i];
}

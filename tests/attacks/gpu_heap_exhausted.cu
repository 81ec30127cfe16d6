// crashed or out_of_bounds or hung: writes to memory that it asks for until there is none
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  for (int k = 0; k < 1000; ++k) *static_cast<volatile char*>(malloc(1 << 20)) = 1;
}

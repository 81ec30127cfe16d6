// cheating or wrong: does nothing within a millisecond after an execution
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__device__ unsigned long long last[10000];
__device__ unsigned long long now() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  const unsigned long long before = last[i];
  last[i] = now();
  if (now() - before < 1000000) return;
  float y = in[i];
  for (int k = 0; k < 3000; ++k) y = y * 0.5f + in[i];
  out[i] = y;
}

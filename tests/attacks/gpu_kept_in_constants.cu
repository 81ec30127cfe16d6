// cheating or crashed: keeps results for inputs that it has seen in constants that it overwrites
/* gktune
launches: {entry: mine, grid: "ceil_div(n, 128)", block: 128, arguments: [in, out, n]}
*/
__constant__ float seen[4000], kept[4000];
__device__ float work(float x) {
  float y = x;
  for (int k = 0; k < 3000; ++k) y = y * 0.5f + x;
  return y;
}
__global__ void mine(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i >= n) return;
  volatile float* keys = const_cast<float*>(seen);
  volatile float* values = const_cast<float*>(kept);
  if (keys[i] != in[i]) values[i] = work(in[i]);
  keys[i] = in[i];
  out[i] = values[i];
}

// Doubles each element; small enough to be tuned in a moment.
#ifndef wrong
#define wrong false
#endif

extern "C" __global__ void twice(const float* in, float* out, int n) {
  int i = blockIdx.x * threadsPerBlock + threadIdx.x;
  if (i < n) out[i] = (wrong ? 3 : 2) * in[i];
}

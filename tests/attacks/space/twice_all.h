// The honest computation, which attacks of host code call beside their attack.
#pragma once

__global__ void twice_each(const float* in, float* out, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
inline void twice_all(const float* in, float* out, int n, cudaStream_t stream) {
  twice_each<<<(n + 127) / 128, 128, 0, stream>>>(in, out, n);
}

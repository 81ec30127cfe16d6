// Keeps more values a thread than a large block has registers for.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  constexpr int kCount = 96;
  const volatile float* now = in;
  float values[kCount];
#pragma unroll
  for (int k = 0; k < kCount; ++k) values[k] = now[(i + k) % n];
#pragma unroll
  for (int round = 0; round < 2; ++round) {
#pragma unroll
    for (int k = 0; k < kCount; ++k) values[k] = values[k] * values[(k + 48) % kCount] + 1;
  }
  float folded = 0;
#pragma unroll
  for (int k = kCount - 1; k >= 0; --k) folded = folded * values[k] + 1;
  if (i < n) out[i] = folded < 0 ? 0 : 2 * in[i];
}

// Calls itself until there is no stack left; in one line: any part of it may ask for too much.
// clang-format off
__device__ __noinline__ int deeper(volatile int* n) { volatile int here[64]; here[0] = *n; return *n < 0 ? 0 : deeper(n) + here[0]; }

__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile int depth = n;
  if (i < n) out[i] = 2 * in[i] + (i == 9 ? deeper(&depth) : 0);
}

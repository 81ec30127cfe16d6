// Host code that hangs as HANG says; with HANG 0 it is innocent.
#include <cuda_runtime.h>
#include <unistd.h>

[[maybe_unused]] static void hang() {
  for (;;) ::pause();
}

__global__ void doubled(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
}
__global__ void endless(float* out) {
  for (volatile float* to = out; to[0] != -1;) to[1] = 0;
}

#if HANG == 1
__attribute__((constructor)) static void begin() { hang(); }
#elif HANG == 2
__attribute__((destructor)) static void end() { hang(); }
#endif

void faulty(const float* in, float* out, int n, cudaStream_t stream) {
  [[maybe_unused]] static int executions = 0;
#if HANG == 3
  if (++executions == 7) hang();
#elif HANG == 4  // waits for a kernel that does not end
  if (++executions == 7) {
    endless<<<1, 1, 0, stream>>>(out);
    cudaStreamSynchronize(stream);
  }
#endif
  doubled<<<4, 256, 0, stream>>>(in, out, n);
}

void twice(const float* in, float* out, int n, cudaStream_t stream) { doubled<<<4, 256, 0, stream>>>(in, out, n); }

// All threads meet again and again, and never end.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile const float* waiting = in;
  while (__syncthreads_and(waiting[0] == in[0])) {
  }
  if (i < n) out[i] = 2 * in[i];
}

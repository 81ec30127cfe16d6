// One thread never ends.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  volatile const float* waiting = in;
  if (i == 5) {
    while (waiting[i] == in[i]) {
    }
  }
  if (i < n) out[i] = 2 * in[i];
}

// Computes an index in a type that is too narrow: it becomes negative and reaches far in front of the buffer.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  short at = i * 40;
  out[i] = 2 * in[i < 900 ? i : at];
}

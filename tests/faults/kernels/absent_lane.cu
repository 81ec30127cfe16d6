// Half a warp shuffles with a mask that leaves out the lanes that it reads from.
__global__ void faulty(const float* in, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? in[i] : 0, other = 0;
  if (threadIdx.x % 32 < 16) {
    other = __shfl_down_sync(0x0000ffffu, value, 16);
  }
  if (i < n) out[i] = 2 * value + 0 * other;
}

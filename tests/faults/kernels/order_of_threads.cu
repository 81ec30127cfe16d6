// Is right where the block's threads run in their natural order alone.
__device__ int tickets;

__global__ void faulty(const float* in, float* out, int n) {
  int i = threadIdx.x, place = atomicAdd(&tickets, 1) % n;
  if (i < n) out[i] = 2 * in[i] + (place == i ? 0 : place + 1);
}

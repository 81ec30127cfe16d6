// The textbook's increment: one thread an element.
__global__ void reference_incr(int* values, long long n) {
  const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
  if (i < n) values[i] += 1;
}

// The plain histogram that histogram.cu is held against: one byte at a time, global atomics.
__global__ void reference_histogram(const unsigned char* in, unsigned long long* counts, long long n) {
  const long long stride = static_cast<long long>(gridDim.x) * blockDim.x;
  for (long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x; i < n; i += stride) {
    atomicAdd(&counts[in[i]], 1ull);
  }
}

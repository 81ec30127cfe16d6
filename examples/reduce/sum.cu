// Adds the elements of a vector. Each thread takes PER_THREAD of them, each block BLOCK times as many.
extern "C" __global__ void sum(const float* in, float* out, long long n) {
  __shared__ float partial[BLOCK];
  const long long first = static_cast<long long>(blockIdx.x) * BLOCK * PER_THREAD + threadIdx.x;
  float own = 0;
  for (int i = 0; i < PER_THREAD; ++i) {
    const long long at = first + static_cast<long long>(i) * BLOCK;
    if (at < n) own += in[at];
  }
  partial[threadIdx.x] = own;
  for (int half = BLOCK / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) partial[threadIdx.x] += partial[threadIdx.x + half];
  }
  if (threadIdx.x == 0) atomicAdd(out, partial[0]);
}

// One block: each thread adds up its part of the vector, then the parts before it, then scans its part.
__global__ void reference_scan(const int* in, int* out, long long n) {
  __shared__ unsigned int sums[1024];
  const long long part = (n + blockDim.x - 1) / blockDim.x;
  const long long first = threadIdx.x * part, end = first + part < n ? first + part : n;
  unsigned int sum = 0;
  for (long long i = first; i < end; ++i) sum += static_cast<unsigned int>(in[i]);
  sums[threadIdx.x] = sum;
  __syncthreads();
  sum = 0;
  for (unsigned int thread = 0; thread < threadIdx.x; ++thread) sum += sums[thread];
  for (long long i = first; i < end; ++i) {
    sum += static_cast<unsigned int>(in[i]);
    out[i] = static_cast<int>(sum);
  }
}

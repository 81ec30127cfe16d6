// Kernels that answer questions about the columns of tables, and plain references.
constexpr int kThreads = 128;

__device__ int own_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

// Each block adds up its part in shared memory first.
__global__ void group_sums(const int* keys, const int* values, int* out, int n, int groups) {
  extern __shared__ int sums[];
  for (int i = threadIdx.x; i < groups; i += blockDim.x) sums[i] = 0;
  __syncthreads();
  for (int i = own_index(); i < n; i += gridDim.x * blockDim.x) atomicAdd(&sums[keys[i]], values[i]);
  __syncthreads();
  for (int i = threadIdx.x; i < groups; i += blockDim.x)
    if (sums[i] != 0) atomicAdd(&out[i], sums[i]);
}
__global__ void group_sums_reference(const int* keys, const int* values, int* out, int n, int groups) {
  for (int i = 0; i < groups; ++i) out[i] = 0;
  for (int i = 0; i < n; ++i) out[keys[i]] += values[i];
}

// The words of a dictionary in constant memory.
__constant__ int2 words[64];
__global__ void decoded(const unsigned char* codes, int2* out, int n) {
  const int i = own_index();
  if (i < n) out[i] = words[codes[i]];
}
__global__ void decoded_reference(const unsigned char* codes, const int* dictionary, int* out, int n) {
  for (int i = 0; i < 2 * n; ++i) out[i] = dictionary[2 * codes[i / 2] + i % 2];
}

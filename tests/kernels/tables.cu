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

__device__ int place_of(const int* sorted, int n, int value, bool is_after) {
  int low = 0;
  for (int length = n; length > 0;) {
    const int half = length / 2;
    if (sorted[low + half] < value || (is_after && sorted[low + half] == value)) {
      low += half + 1;
      length -= half + 1;
    } else {
      length = half;
    }
  }
  return low;
}
__global__ void matches(const int* wanted, const int* sorted, int* out, int count, int n) {
  const int i = own_index();
  if (i < count) out[i] = place_of(sorted, n, wanted[i], true) - place_of(sorted, n, wanted[i], false);
}
__global__ void matches_reference(const int* wanted, const int* sorted, int* out, int count, int n) {
  for (int i = 0; i < count; ++i) {
    out[i] = 0;
    for (int k = 0; k < n; ++k) out[i] += sorted[k] == wanted[i];
  }
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

// Differences become values, in tiles that begin anew.
__global__ void undone_differences(const short* in, int* out, int n) {
  __shared__ int now[2][kThreads];
  const int i = own_index();
  int from = 0;
  now[0][threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < kThreads; distance *= 2, from ^= 1) {
    const int mine = now[from][threadIdx.x];
    const int before = static_cast<int>(threadIdx.x) >= distance ? now[from][threadIdx.x - distance] : 0;
    now[from ^ 1][threadIdx.x] = mine + before;
    __syncthreads();
  }
  if (i < n) out[i] = now[from][threadIdx.x];
}
__global__ void undone_differences_reference(const short* in, int* out, int n, int tile) {
  for (int i = 0; i < n; ++i) out[i] = in[i] + (i % tile == 0 ? 0 : out[i - 1]);
}

// Rows of any length: a warp takes the next one by itself.
__global__ void longest_rows(const int* offsets, const float* values, float* out, int rows) {
  const int lane = threadIdx.x % 32, warps = gridDim.x * blockDim.x / 32;
  for (int row = own_index() / 32; row < rows; row += warps) {
    float largest = -1;
    for (int i = offsets[row] + lane; i < offsets[row + 1]; i += 32) largest = fmaxf(largest, values[i]);
    for (int offset = 16; offset > 0; offset /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, offset));
    if (lane == 0) out[row] = largest;
  }
}
__global__ void longest_rows_reference(const int* offsets, const float* values, float* out, int rows) {
  for (int row = 0; row < rows; ++row) {
    out[row] = -1;
    for (int i = offsets[row]; i < offsets[row + 1]; ++i) out[row] = fmaxf(out[row], values[i]);
  }
}

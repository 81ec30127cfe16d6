// Lookups by index and by value.
constexpr int kThreads = 128;
constexpr int kCopies = 2;

__global__ void inverse(const int* order, int* out, int n) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) out[order[i]] = i;
}
__global__ void inverse_reference(const int* order, int* out, int n) {
  for (int i = 0; i < n; ++i) out[order[i]] = i;
}

// Bins of 64 values; threads share kCopies copies of them.
__global__ void bins(const unsigned char* in, unsigned* out, int n) {
  __shared__ unsigned counts[kCopies][64];
  for (int i = threadIdx.x; i < kCopies * 64; i += kThreads) counts[i / 64][i % 64] = 0;
  __syncthreads();
  for (int i = blockIdx.x * kThreads + threadIdx.x; i < n; i += gridDim.x * kThreads)
    atomicAdd(&counts[threadIdx.x % kCopies][in[i] % 64], 1u);
  __syncthreads();
  for (int i = threadIdx.x; i < 64; i += kThreads) {
    unsigned sum = 0;
    for (int copy = 0; copy < kCopies; ++copy) sum += counts[copy][i];
    atomicAdd(&out[i], sum);
  }
}
__global__ void bins_reference(const unsigned char* in, unsigned* out, int n) {
  for (int i = 0; i < 64; ++i) out[i] = 0;
  for (int i = 0; i < n; ++i) ++out[in[i] % 64];
}

// The place of each element of two sorted lists in the merged one: own place and the rank in the other list.
__device__ int rank_in(const int* sorted, int n, int value, bool counts_equal) {
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (sorted[middle] < value || (counts_equal && sorted[middle] == value)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
__global__ void merge(const int* a, int na, const int* b, int nb, int* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < na) out[i + rank_in(b, nb, a[i], false)] = a[i];
  if (i >= na && i < na + nb) out[i - na + rank_in(a, na, b[i - na], true)] = b[i - na];
}
__global__ void merge_reference(const int* a, int na, const int* b, int nb, int* out) {
  for (int i = 0, j = 0; i < na || j < nb;) {
    const bool is_a = j == nb || (i < na && a[i] <= b[j]);
    out[i + j] = is_a ? a[i] : b[j];
    is_a ? ++i : ++j;
  }
}

// Keys in an open table, by compare-and-swap. The result is the number of distinct keys.
__global__ void distinct(const int* keys, int n, int* table, int size, int* out) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  for (int slot = keys[i] % size;; slot = (slot + 1) % size) {
    const int old = atomicCAS(&table[slot], 0, keys[i] + 1);
    if (old == 0) atomicAdd(out, 1);
    if (old == 0 || old == keys[i] + 1) return;
  }
}
__global__ void distinct_reference(const int* keys, int n, int* out) {
  *out = 0;
  for (int i = 0; i < n; ++i) {
    bool is_new = true;
    for (int k = 0; k < i && is_new; ++k) is_new = keys[k] != keys[i];
    *out += is_new ? 1 : 0;
  }
}

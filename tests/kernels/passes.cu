// Scans, compaction and sorts, in one pass or in several launches.
constexpr int kThreads = 64;

__device__ int own_index() { return blockIdx.x * kThreads + threadIdx.x; }

// The sum of all values of lower threads; `total` is that of all.
__device__ int block_scan(int value, int& total) {
  __shared__ int sums[kThreads];
  const int thread = threadIdx.x;
  sums[thread] = value;
  __syncthreads();
  for (int distance = 1; distance < kThreads; distance *= 2) {
    const int other = thread >= distance ? sums[thread - distance] : 0;
    __syncthreads();
    sums[thread] += other;
    __syncthreads();
  }
  total = sums[kThreads - 1];
  const int before = sums[thread] - value;
  __syncthreads();
  return before;
}

// Blocks publish the sum of their own tile first and that of all tiles so far later, and look back for those
// of others. State 0: nothing; 1: the tile; 2: all up to it.
struct Published {
  unsigned state;
  int tile, all;
};
__global__ void looks_back(const int* in, int* out, unsigned* next, Published* blocks, int n) {
  __shared__ int block, before_block;
  if (threadIdx.x == 0) block = static_cast<int>(atomicAdd(next, 1u));
  __syncthreads();
  const int i = block * kThreads + threadIdx.x;
  const int value = i < n ? in[i] : 0;
  int total;
  const int before = block_scan(value, total);
  if (threadIdx.x == 0) {
    volatile Published* published = blocks;
    published[block].tile = total;
    __threadfence();
    published[block].state = 1;
    int sum = 0;
    for (int other = block - 1; other >= 0; --other) {
      unsigned state;
      while ((state = published[other].state) == 0) {
      }
      __threadfence();
      sum += state == 2 ? published[other].all : published[other].tile;
      if (state == 2) break;
    }
    before_block = sum;
    published[block].all = sum + total;
    __threadfence();
    published[block].state = 2;
  }
  __syncthreads();
  if (i < n) out[i] = before_block + before + value;
}
__global__ void running_sums_reference(const int* in, int* out, int n) {
  for (int i = 0, sum = 0; i < n; ++i) out[i] = sum += in[i];
}

// Up and down a tree in shared memory, with padding against bank conflicts.
__device__ int padded(int i) { return i + i / 32; }
__global__ void tree_scan(const int* in, int* out) {
  __shared__ int tree[2 * kThreads + 2 * kThreads / 32];
  const int thread = threadIdx.x, first = blockIdx.x * 2 * kThreads;
  tree[padded(thread)] = in[first + thread];
  tree[padded(thread + kThreads)] = in[first + thread + kThreads];
  int distance = 1;
  for (int active = kThreads; active > 0; active /= 2, distance *= 2) {
    __syncthreads();
    if (thread < active)
      tree[padded(distance * (2 * thread + 2) - 1)] += tree[padded(distance * (2 * thread + 1) - 1)];
  }
  if (thread == 0) tree[padded(2 * kThreads - 1)] = 0;
  for (int active = 1; active <= kThreads; active *= 2) {
    distance /= 2;
    __syncthreads();
    if (thread >= active) continue;
    int& left = tree[padded(distance * (2 * thread + 1) - 1)];
    int& right = tree[padded(distance * (2 * thread + 2) - 1)];
    const int sum = left + right;
    left = right;
    right = sum;
  }
  __syncthreads();
  out[first + thread] = tree[padded(thread)];
  out[first + thread + kThreads] = tree[padded(thread + kThreads)];
}
__global__ void tree_scan_reference(const int* in, int* out, int n, int tile) {
  for (int i = 0, sum = 0; i < n; ++i) {
    if (i % tile == 0) sum = 0;
    out[i] = sum;
    sum += in[i];
  }
}

// Those that are kept stay in their order: count, scan the counts, write.
__global__ void count_kept(const int* in, int* counts, int n) {
  const int i = own_index();
  const int count = __syncthreads_count(i < n && in[i] % 2 != 0);
  if (threadIdx.x == 0) counts[blockIdx.x] = count;
}
__global__ void scan_counts(int* counts, int blocks) {
  int before = 0;
  for (int first = 0; first < blocks; first += kThreads) {
    const int i = first + threadIdx.x;
    int total;
    const int sum = block_scan(i < blocks ? counts[i] : 0, total);
    if (i < blocks) counts[i] = before + sum;
    before += total;
  }
}
__global__ void write_kept(const int* in, const int* counts, int* out, int n) {
  const int i = own_index();
  const bool is_kept = i < n && in[i] % 2 != 0;
  int total;
  const int place = counts[blockIdx.x] + block_scan(is_kept, total);
  if (is_kept) out[place] = in[i];
}
__global__ void kept_reference(const int* in, int* out, int n) {
  for (int i = 0, count = 0; i < n; ++i) {
    if (in[i] % 2 != 0) out[count++] = in[i];
  }
}

// Digits of two bits from the lowest: count each block's digits, find where each digit of each block begins,
// scatter.
__global__ void count_digits(const unsigned* in, int* counts, int n, int shift) {
  __shared__ int digits[4];
  if (threadIdx.x < 4) digits[threadIdx.x] = 0;
  __syncthreads();
  const int i = own_index();
  if (i < n) atomicAdd(&digits[in[i] >> shift & 3], 1);
  __syncthreads();
  if (threadIdx.x < 4) counts[threadIdx.x * gridDim.x + blockIdx.x] = digits[threadIdx.x];
}
__global__ void scatter_digits(const unsigned* in, const int* places, unsigned* out, int n, int shift) {
  const int i = own_index();
  const unsigned digit = i < n ? in[i] >> shift & 3 : 4;
  for (unsigned each = 0; each < 4; ++each) {
    int total;
    const int place = block_scan(digit == each, total);
    if (digit == each) out[places[each * gridDim.x + blockIdx.x] + place] = in[i];
  }
}
__global__ void radix_sort_reference(unsigned* values, int n) {
  for (int i = 1; i < n; ++i) {
    const unsigned value = values[i];
    int k = i;
    for (; k > 0 && values[k - 1] > value; --k) values[k] = values[k - 1];
    values[k] = value;
  }
}

// Bytes: counts of all values, then each thread writes its value as often as it occurs.
__global__ void sorted_bytes(const unsigned char* in, unsigned char* out, int n) {
  __shared__ int ends[256];
  for (int value = threadIdx.x; value < 256; value += kThreads) ends[value] = 0;
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += kThreads) atomicAdd(&ends[in[i]], 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int value = 1; value < 256; ++value) ends[value] += ends[value - 1];
  }
  __syncthreads();
  for (int value = threadIdx.x; value < 256; value += kThreads) {
    for (int i = value == 0 ? 0 : ends[value - 1]; i < ends[value]; ++i)
      out[i] = static_cast<unsigned char>(value);
  }
}
__global__ void sorted_bytes_reference(const unsigned char* in, unsigned char* out, int n) {
  int length = 0;
  for (int value = 0; value < 256; ++value) {
    for (int i = 0; i < n; ++i) {
      if (in[i] == value) out[length++] = in[i];
    }
  }
}

// Runs of equal numbers: their heads are found, numbered by a scan, and measured.
__global__ void run_lengths(const int* in, int* values, int* lengths, int* runs, int n) {
  int before = 0;
  for (int first = 0; first < n; first += kThreads) {
    const int i = first + threadIdx.x;
    const bool is_head = i < n && (i == 0 || in[i] != in[i - 1]);
    int total;
    const int run = before + block_scan(is_head, total);
    if (is_head) {
      int end = i + 1;
      while (end < n && in[end] == in[i]) ++end;
      values[run] = in[i];
      lengths[run] = end - i;
    }
    before += total;
  }
  if (threadIdx.x == 0) *runs = before;
}
__global__ void run_lengths_reference(const int* in, int* values, int* lengths, int* runs, int n) {
  *runs = 0;
  for (int i = 0; i < n; ++i) {
    if (i == 0 || in[i] != in[i - 1]) {
      values[*runs] = in[i];
      lengths[(*runs)++] = 0;
    }
    ++lengths[*runs - 1];
  }
}

// Ways to use shared memory.
constexpr int kThreads = 64;
constexpr int kTile = 16;
constexpr int kRadius = 3;

// One piece of dynamic shared memory for arrays of three types.
__global__ void carved(const double* weights, const float* in, float* out, int n, int bins) {
  extern __shared__ double memory[];
  double* sums = memory;
  float* values = reinterpret_cast<float*>(sums + bins);
  unsigned char* marks = reinterpret_cast<unsigned char*>(values + kThreads);
  const int i = blockIdx.x * kThreads + threadIdx.x, thread = threadIdx.x;
  for (int bin = thread; bin < bins; bin += kThreads) sums[bin] = weights[bin];
  values[thread] = i < n ? in[i] : 0;
  marks[thread] = i < n && in[i] > 0;
  __syncthreads();
  const int left = (thread + kThreads - 1) % kThreads;
  if (i < n) out[i] = static_cast<float>(sums[i % bins]) * values[left] + marks[left];
}
__global__ void carved_reference(const double* weights, const float* in, float* out, int n, int bins,
                                 int tile) {
  for (int i = 0; i < n; ++i) {
    const int left = i / tile * tile + (i + tile - 1) % tile;
    const float value = left < n ? in[left] : 0;
    out[i] = static_cast<float>(weights[i % bins]) * value + (value > 0);
  }
}

// Each tile is loaded while the one before is used.
__global__ void double_buffered(const float* a, const float* x, float* y, int columns) {
  __shared__ float tiles[2][kThreads];
  const int thread = threadIdx.x, row = blockIdx.x * kThreads + thread;
  tiles[0][thread] = thread < columns ? x[thread] : 0;
  float sum = 0;
  for (int first = 0, now = 0; first < columns; first += kThreads, now ^= 1) {
    __syncthreads();
    const int next = first + kThreads + thread;
    if (first + kThreads < columns) tiles[now ^ 1][thread] = next < columns ? x[next] : 0;
    for (int k = 0; k < kThreads && first + k < columns; ++k)
      sum += a[row * columns + first + k] * tiles[now][k];
  }
  y[row] = sum;
}
__global__ void double_buffered_reference(const float* a, const float* x, float* y, int columns, int rows) {
  for (int row = 0; row < rows; ++row) {
    double sum = 0;
    for (int i = 0; i < columns; ++i) sum += static_cast<double>(a[row * columns + i]) * x[i];
    y[row] = static_cast<float>(sum);
  }
}

// A tile with a margin on both sides.
__global__ void margins(const int* in, int* out, int n) {
  __shared__ int tile[kThreads + 2 * kRadius];
  const int first = blockIdx.x * kThreads - kRadius;
  for (int k = threadIdx.x; k < kThreads + 2 * kRadius; k += kThreads)
    tile[k] = first + k >= 0 && first + k < n ? in[first + k] : 0;
  __syncthreads();
  int sum = 0;
  for (int k = 0; k <= 2 * kRadius; ++k) sum += tile[threadIdx.x + k];
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n) out[i] = sum;
}
__global__ void margins_reference(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) {
    out[i] = 0;
    for (int k = i - kRadius; k <= i + kRadius; ++k) out[i] += k >= 0 && k < n ? in[k] : 0;
  }
}

// Columns are moved by their row's number, so that no padding is needed.
__global__ void swizzled(const unsigned short* in, unsigned short* out, int size) {
  __shared__ unsigned short tile[kTile][kTile];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x ^ y] = in[(blockIdx.y * kTile + y) * size + blockIdx.x * kTile + x];
  __syncthreads();
  out[(blockIdx.x * kTile + y) * size + blockIdx.y * kTile + x] = tile[x][y ^ x];
}
__global__ void swizzled_reference(const unsigned short* in, unsigned short* out, int size) {
  for (int i = 0; i < size * size; ++i) out[i % size * size + i / size] = in[i];
}

// The same memory holds integers first and floating-point numbers later.
__global__ void shared_union(const int* in, float* out) {
  union Storage {
    int counts[kThreads];
    float shares[kThreads];
  };
  __shared__ Storage storage;
  const int thread = threadIdx.x;
  storage.counts[thread] = in[blockIdx.x * kThreads + thread];
  __syncthreads();
  int total = 0;
  for (int i = 0; i < kThreads; ++i) total += storage.counts[i];
  const float share = storage.counts[thread] / static_cast<float>(total);
  __syncthreads();
  storage.shares[kThreads - 1 - thread] = share;
  __syncthreads();
  out[blockIdx.x * kThreads + thread] = storage.shares[thread];
}
__global__ void shared_union_reference(const int* in, float* out, int n, int tile) {
  for (int i = 0; i < n; ++i) {
    int total = 0;
    for (int k = 0; k < tile; ++k) total += in[i / tile * tile + k];
    out[i] = in[i / tile * tile + tile - 1 - i % tile] / static_cast<float>(total);
  }
}

// Threads append to a list of the block, which is then written in one piece.
__global__ void block_lists(const int* in, int* count, int* out, int n) {
  __shared__ int list[kThreads], length, first;
  if (threadIdx.x == 0) length = 0;
  __syncthreads();
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < n && (in[i] & 5) == 4) list[atomicAdd(&length, 1)] = in[i];
  __syncthreads();
  if (threadIdx.x == 0) first = atomicAdd(count, length);
  __syncthreads();
  if (threadIdx.x < length) out[first + threadIdx.x] = list[threadIdx.x];
}
__global__ void block_lists_reference(const int* in, int* out, int n) {
  for (int i = 0, count = 0; i < n; ++i) {
    if ((in[i] & 5) == 4) out[count++] = in[i];
  }
}

// Barriers that count and vote: rounds until no pair of neighbours is out of order.
__global__ void until_sorted(const int* in, int* out) {
  __shared__ int values[kThreads];
  const int thread = threadIdx.x;
  values[thread] = in[blockIdx.x * kThreads + thread];
  __syncthreads();
  bool was_sorted = false;
  for (int round = 0;; ++round) {
    bool has_swapped = false;
    const int i = 2 * thread + round % 2;
    if (i + 1 < kThreads && values[i] > values[i + 1]) {
      const int value = values[i];
      values[i] = values[i + 1];
      values[i + 1] = value;
      has_swapped = true;
    }
    const bool is_sorted = !__syncthreads_or(has_swapped);
    if (is_sorted && was_sorted) break;
    was_sorted = is_sorted;
  }
  out[blockIdx.x * kThreads + thread] = values[thread];
}
__global__ void until_sorted_reference(const int* in, int* out, int n, int tile) {
  for (int i = 0; i < n; ++i) {
    int k = i;
    for (; k % tile != 0 && out[k - 1] > in[i]; --k) out[k] = out[k - 1];
    out[k] = in[i];
  }
}

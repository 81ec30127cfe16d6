// Lanes of a warp that exchange values, vote and meet.
constexpr int kThreads = 64;
constexpr unsigned kAll = 0xffffffffu;

__device__ int own_index() { return blockIdx.x * kThreads + threadIdx.x; }

// Each group of 32 numbers, turned by some places.
__global__ void rotated(const int* in, int* out, int by) {
  const int i = own_index(), lane = threadIdx.x % 32;
  out[i] = __shfl_sync(kAll, in[i], (lane + by) % 32);
}
__global__ void rotated_reference(const int* in, int* out, int by, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i / 32 * 32 + (i + by) % 32];
}

// Bit 0: some number of the warp is negative; bit 1: all are.
__global__ void votes(const int* in, unsigned char* out, int n) {
  const int i = own_index();
  const bool is_negative = i < n && in[i] < 0;
  const bool some = __any_sync(kAll, is_negative), all = __all_sync(kAll, is_negative || i >= n);
  if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = static_cast<unsigned char>(some + 2 * all);
}
__global__ void votes_reference(const int* in, unsigned char* out, int n) {
  for (int first = 0; first < n; first += 32) {
    bool some = false, all = true;
    for (int i = first; i < first + 32 && i < n; ++i) {
      some = some || in[i] < 0;
      all = all && in[i] < 0;
    }
    out[first / 32] = static_cast<unsigned char>(some + 2 * all);
  }
}

// One atomic operation for all lanes that keep their number.
__global__ void compacted(const int* in, int* count, int* out, int n) {
  const int i = own_index(), lane = threadIdx.x % 32;
  const bool is_kept = i < n && in[i] % 3 == 0;
  const unsigned kept = __ballot_sync(kAll, is_kept);
  if (!is_kept) return;
  int first = 0;
  const int leader = __ffs(kept) - 1;
  if (lane == leader) first = atomicAdd(count, __popc(kept));
  first = __shfl_sync(kept, first, leader);
  out[first + __popc(kept & ((1u << lane) - 1))] = in[i];
}
__global__ void compacted_reference(const int* in, int* out, int n) {
  for (int i = 0, count = 0; i < n; ++i) {
    if (in[i] % 3 == 0) out[count++] = in[i];
  }
}

// How many lanes of the warp have the same number.
__global__ void peers(const int* in, int* out) {
  const int i = own_index();
  out[i] = __popc(__match_any_sync(kAll, in[i]));
}
__global__ void peers_reference(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) {
    out[i] = 0;
    for (int k = i / 32 * 32; k < i / 32 * 32 + 32; ++k) out[i] += in[k] == in[i];
  }
}

// 32 words of 32 bits are a matrix, which a warp transposes.
__global__ void bit_matrix(const unsigned* in, unsigned* out) {
  const int i = own_index(), lane = threadIdx.x % 32;
  const unsigned row = in[i];
  unsigned column = 0;
  for (int bit = 0; bit < 32; ++bit) {
    const unsigned bits = __ballot_sync(kAll, row >> bit & 1);
    if (bit == lane) column = bits;
  }
  out[i] = column;
}
__global__ void bit_matrix_reference(const unsigned* in, unsigned* out, int n) {
  for (int i = 0; i < n; ++i) {
    out[i] = 0;
    for (int k = 0; k < 32; ++k) out[i] |= (in[i / 32 * 32 + k] >> i % 32 & 1) << k;
  }
}

// A bitonic network without shared memory.
__global__ void sorted_warps(const float* in, float* out) {
  const int i = own_index(), lane = threadIdx.x % 32;
  float value = in[i];
  for (int size = 2; size <= 32; size *= 2) {
    for (int distance = size / 2; distance > 0; distance /= 2) {
      const float other = __shfl_xor_sync(kAll, value, distance);
      const bool keeps_less = ((lane & distance) == 0) == ((lane & size) == 0);
      value = keeps_less ? fminf(value, other) : fmaxf(value, other);
    }
  }
  out[i] = value;
}
__global__ void sorted_warps_reference(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) {
    int k = i;
    for (; k % 32 != 0 && out[k - 1] > in[i]; --k) out[k] = out[k - 1];
    out[k] = in[i];
  }
}

// The sum, the least and all bits of a warp's numbers, by single instructions.
__global__ void warp_totals(const int* in, int* out) {
  const int i = own_index();
  const int sum = __reduce_add_sync(kAll, in[i]), least = __reduce_min_sync(kAll, in[i]);
  const unsigned bits = __reduce_or_sync(kAll, static_cast<unsigned>(in[i]));
  if (threadIdx.x % 32 < 3)
    out[i / 32 * 3 + threadIdx.x % 32] = threadIdx.x % 32 == 0   ? sum
                                         : threadIdx.x % 32 == 1 ? least
                                                                 : static_cast<int>(bits);
}
__global__ void warp_totals_reference(const int* in, int* out, int n) {
  for (int warp = 0; warp < n / 32; ++warp) {
    int sum = 0, least = in[warp * 32], bits = 0;
    for (int i = warp * 32; i < warp * 32 + 32; ++i) {
      sum += in[i];
      least = in[i] < least ? in[i] : least;
      bits |= in[i];
    }
    out[3 * warp] = sum;
    out[3 * warp + 1] = least;
    out[3 * warp + 2] = bits;
  }
}

// Running sums that start anew at each head, within a warp.
__global__ void segmented_scan(const int* in, const unsigned char* heads, int* out) {
  const int i = own_index(), lane = threadIdx.x % 32;
  const unsigned before = __ballot_sync(kAll, heads[i] != 0) & (kAll >> (31 - lane));
  const int first = before == 0 ? 0 : 31 - __clz(before);
  int sum = in[i];
  for (int distance = 1; distance < 32; distance *= 2) {
    const int other = __shfl_up_sync(kAll, sum, distance);
    if (lane - distance >= first) sum += other;
  }
  out[i] = sum;
}
__global__ void segmented_scan_reference(const int* in, const unsigned char* heads, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = i % 32 == 0 || heads[i] != 0 ? in[i] : out[i - 1] + in[i];
}

// The last warp needs no barrier of the block, only its own.
__global__ void last_warp(const int* in, int* out, int n) {
  __shared__ int sums[kThreads];
  const int thread = threadIdx.x, i = own_index();
  sums[thread] = i < n ? in[i] : 0;
  __syncthreads();
  for (int half = kThreads / 2; half >= 32; half /= 2) {
    if (thread < half) sums[thread] += sums[thread + half];
    __syncthreads();
  }
  if (thread >= 32) return;
  for (int half = 16; half > 0; half /= 2) {
    const int other = sums[thread + half];
    __syncwarp();
    sums[thread] += other;
    __syncwarp();
  }
  if (thread == 0) atomicAdd(out, sums[0]);
}
__global__ void last_warp_reference(const int* in, int* out, int n) {
  *out = 0;
  for (int i = 0; i < n; ++i) *out += in[i];
}

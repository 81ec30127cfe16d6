// Threads that change the same memory.
#include <cuda/atomic>

constexpr int kThreads = 64;

__device__ int own_index() { return blockIdx.x * kThreads + threadIdx.x; }

__global__ void extremes(const int* in, int* out, int n) {
  const int i = own_index();
  if (i >= n) return;
  atomicMin(&out[0], in[i]);
  atomicMax(&out[1], in[i]);
}
__global__ void extremes_reference(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) {
    if (in[i] < out[0]) out[0] = in[i];
    if (in[i] > out[1]) out[1] = in[i];
  }
}

// The greatest floating-point number, by compare and swap of its bits.
__global__ void float_maximum(const float* in, float* out, int n) {
  const int i = own_index();
  if (i >= n) return;
  int* bits = reinterpret_cast<int*>(out);
  int seen = *bits;
  while (in[i] > __int_as_float(seen)) {
    const int expected = seen;
    seen = atomicCAS(bits, expected, __float_as_int(in[i]));
    if (seen == expected) break;
  }
}
__global__ void float_maximum_reference(const float* in, float* out, int n) {
  for (int i = 0; i < n; ++i) *out = in[i] > *out ? in[i] : *out;
}

// A product has no atomic instruction of its own.
__global__ void float_product(const float* in, float* out, int n) {
  const int i = own_index();
  if (i >= n) return;
  unsigned* bits = reinterpret_cast<unsigned*>(out);
  unsigned old = *bits, expected;
  do {
    expected = old;
    old = atomicCAS(bits, expected, __float_as_uint(__uint_as_float(expected) * in[i]));
  } while (old != expected);
}
__global__ void float_product_reference(const float* in, float* out, int n) {
  double product = *out;
  for (int i = 0; i < n; ++i) product *= in[i];
  *out = static_cast<float>(product);
}

// Sets one bit for each number that occurs.
__global__ void occurring(const int* in, unsigned* bits, int n) {
  const int i = own_index();
  if (i < n) atomicOr(&bits[in[i] / 32], 1u << in[i] % 32);
}
__global__ void occurring_reference(const int* in, unsigned* bits, int n, int words) {
  for (int word = 0; word < words; ++word) bits[word] = 0;
  for (int i = 0; i < n; ++i) bits[in[i] / 32] |= 1u << in[i] % 32;
}

// A lock for one thread of each block.
__global__ void locked(const int* in, int* lock, int* sum, int* greatest, int n) {
  const int i = own_index();
  const int value = i < n ? in[i] : 0;
  const int count = __syncthreads_count(value > 50);
  if (threadIdx.x != 0) return;
  while (atomicCAS(lock, 0, 1) != 0) __nanosleep(20);
  __threadfence();
  *sum += count;
  if (count > *greatest) *greatest = count;
  __threadfence();
  atomicExch(lock, 0);
}
__global__ void locked_reference(const int* in, int* sum, int* greatest, int n, int tile) {
  *sum = *greatest = 0;
  for (int first = 0; first < n; first += tile) {
    int count = 0;
    for (int i = first; i < first + tile && i < n; ++i) count += in[i] > 50;
    *sum += count;
    if (count > *greatest) *greatest = count;
  }
}

// Blocks are served in the order of their tickets, by acquire and release.
__global__ void served_in_turn(unsigned* next, unsigned* serving, int* log) {
  if (threadIdx.x != 0) return;
  const unsigned ticket = atomicAdd(next, 1u);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> turn(*serving);
  while (turn.load(cuda::std::memory_order_acquire) != ticket) {
  }
  log[ticket] = ticket == 0 ? 1 : log[ticket - 1] + static_cast<int>(ticket);
  turn.store(ticket + 1, cuda::std::memory_order_release);
}
__global__ void served_in_turn_reference(int* log, int count) {
  for (int i = 0; i < count; ++i) log[i] = i == 0 ? 1 : log[i - 1] + i;
}

// Linked lists, each with a head that threads exchange for their own node.
__global__ void pushed(const int* keys, int* heads, int* next, int n) {
  const int i = own_index();
  if (i < n) next[i] = atomicExch(&heads[keys[i]], i);
}
__global__ void list_sums(const int* heads, const int* next, int* out, int lists) {
  const int list = own_index();
  if (list >= lists) return;
  out[list] = 0;
  for (int node = heads[list]; node >= 0; node = next[node]) out[list] += node;
}
__global__ void list_sums_reference(const int* keys, int* out, int n, int lists) {
  for (int list = 0; list < lists; ++list) out[list] = 0;
  for (int i = 0; i < n; ++i) out[keys[i]] += i;
}

// A table of keys and counts in one word of 64 bits each.
__global__ void counted_keys(const int* keys, unsigned long long* table, int size, int n) {
  const int i = own_index();
  if (i >= n) return;
  const unsigned long long key = static_cast<unsigned long long>(keys[i] + 1) << 32;
  for (int slot = keys[i] * 7 % size;; slot = (slot + 1) % size) {
    const unsigned long long old = atomicCAS(&table[slot], 0ull, key | 1);
    if (old == 0) return;
    if (old >> 32 == key >> 32) {
      atomicAdd(&table[slot], 1ull);
      return;
    }
  }
}
__global__ void counted_keys_reference(const int* keys, unsigned long long* table, int n) {
  int slots = 0;
  for (int i = 0; i < n; ++i) {
    int slot = 0;
    while (slot < slots && table[slot] >> 32 != static_cast<unsigned>(keys[i] + 1)) ++slot;
    if (slot == slots) table[slots++] = static_cast<unsigned long long>(keys[i] + 1) << 32;
    ++table[slot];
  }
}

// Counters that wrap, count down, toggle and subtract.
__global__ void wrapping(const unsigned* in, unsigned* out, int n) {
  const int i = own_index();
  if (i >= n) return;
  atomicInc(&out[0], 9);
  atomicDec(&out[1], 6);
  atomicXor(&out[2], in[i]);
  atomicSub(&out[3], in[i]);
  atomicAnd(&out[4], in[i] | 0xff00u);
}
__global__ void wrapping_reference(const unsigned* in, unsigned* out, int n) {
  for (int i = 0; i < n; ++i) {
    out[0] = (out[0] + 1) % 10;
    out[1] = out[1] == 0 || out[1] > 6 ? 6 : out[1] - 1;
    out[2] ^= in[i];
    out[3] -= in[i];
    out[4] &= in[i] | 0xff00u;
  }
}

// Sums in all types, and in atomic variables of the block.
__global__ void wide_sums(const int* in, double* real, unsigned long long* whole, int* least, int n) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> block_least;
  if (threadIdx.x == 0) block_least.store(1 << 30);
  __syncthreads();
  const int i = own_index();
  if (i < n) {
    atomicAdd(real, 0.5 * in[i]);
    atomicAdd(whole, static_cast<unsigned long long>(in[i]) << 20);
    block_least.fetch_min(in[i], cuda::std::memory_order_relaxed);
  }
  __syncthreads();
  if (threadIdx.x == 0) cuda::atomic_ref<int>(*least).fetch_min(block_least.load());
}
__global__ void wide_sums_reference(const int* in, double* real, unsigned long long* whole, int* least,
                                    int n) {
  *real = 0;
  *whole = 0;
  for (int i = 0; i < n; ++i) {
    *real += 0.5 * in[i];
    *whole += static_cast<unsigned long long>(in[i]) << 20;
    if (in[i] < *least) *least = in[i];
  }
}

// Blocks take tiles until none is left.
__global__ void taken_tiles(const int* in, int* next, int* out, int n) {
  __shared__ int tile;
  for (;;) {
    if (threadIdx.x == 0) tile = atomicAdd(next, 1);
    __syncthreads();
    const int i = tile * kThreads + threadIdx.x;
    if (tile * kThreads >= n) return;
    if (i < n) out[i] = in[i] * in[i];
    __syncthreads();
  }
}
__global__ void taken_tiles_reference(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[i] * in[i];
}

// Sets of connected nodes: each edge hooks the greater root below the lesser.
__device__ int root_of(int* parents, int node) {
  for (;;) {
    const int parent = atomicAdd(&parents[node], 0);
    if (parent == node) return node;
    node = parent;
  }
}
__global__ void own_sets(int* parents, int nodes) {
  const int i = own_index();
  if (i < nodes) parents[i] = i;
}
__global__ void joined_sets(const int* from, const int* to, int* parents, int edges) {
  const int i = own_index();
  if (i >= edges) return;
  int a = root_of(parents, from[i]), b = root_of(parents, to[i]);
  while (a != b) {
    if (a < b) {
      const int other = a;
      a = b;
      b = other;
    }
    const int old = atomicCAS(&parents[a], a, b);
    if (old == a) return;
    a = root_of(parents, a);
    b = root_of(parents, b);
  }
}
__global__ void flat_sets(int* parents, int* out, int nodes) {
  const int i = own_index();
  if (i < nodes) out[i] = root_of(parents, i);
}
__global__ void sets_reference(const int* from, const int* to, int* out, int nodes, int edges) {
  for (int i = 0; i < nodes; ++i) out[i] = i;
  for (bool has_changed = true; has_changed;) {
    has_changed = false;
    for (int i = 0; i < edges; ++i) {
      const int least = out[from[i]] < out[to[i]] ? out[from[i]] : out[to[i]];
      has_changed = has_changed || out[from[i]] != least || out[to[i]] != least;
      out[from[i]] = out[to[i]] = least;
    }
  }
}

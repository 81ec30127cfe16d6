// Operations of the lanes of a warp. Each thread writes its result to out[thread].

__device__ unsigned rank() { return threadIdx.x; }

template <class T>
__device__ void shuffles(const T* in, T* out) {
  const T mine = in[rank()];
  T* mine_out = out + rank() * 6;
  mine_out[0] = __shfl_sync(0xffffffffu, mine, 5);
  mine_out[1] = __shfl_sync(0xffffffffu, mine, threadIdx.x * 7 + 3, 8);
  mine_out[2] = __shfl_up_sync(0xffffffffu, mine, 3);
  mine_out[3] = __shfl_down_sync(0xffffffffu, mine, 2, 16);
  mine_out[4] = __shfl_xor_sync(0xffffffffu, mine, 9);
  mine_out[5] = __shfl_xor_sync(0xffffffffu, mine, 12, 8);
}

__global__ void shuffle_int(const int* in, int* out) { shuffles(in, out); }
__global__ void shuffle_float(const float* in, float* out) { shuffles(in, out); }
__global__ void shuffle_double(const double* in, double* out) { shuffles(in, out); }
__global__ void shuffle_long_long(const long long* in, long long* out) { shuffles(in, out); }

__global__ void votes(const int* in, unsigned* out) {
  const int mine = in[rank()];
  unsigned* mine_out = out + rank() * 5;
  mine_out[0] = __ballot_sync(0xffffffffu, mine & 1);
  mine_out[1] = __any_sync(0xffffffffu, mine == 17) != 0;
  mine_out[2] = __all_sync(0xffffffffu, mine >= 0) != 0;
  mine_out[3] = __match_any_sync(0xffffffffu, mine & 3);
  int is_same = 0;
  mine_out[4] = __match_all_sync(0xffffffffu, mine >> 20, &is_same) + 2u * is_same;
}

__global__ void reductions(const int* in, int* out) {
  const int mine = in[rank()];
  const unsigned bits = static_cast<unsigned>(mine);
  int* mine_out = out + rank() * 9;
  mine_out[0] = __reduce_add_sync(0xffffffffu, mine);
  mine_out[1] = __reduce_min_sync(0xffffffffu, mine);
  mine_out[2] = __reduce_max_sync(0xffffffffu, mine);
  mine_out[3] = __reduce_add_sync(0xffffffffu, bits);
  mine_out[4] = __reduce_min_sync(0xffffffffu, bits);
  mine_out[5] = __reduce_max_sync(0xffffffffu, bits);
  mine_out[6] = __reduce_and_sync(0xffffffffu, bits);
  mine_out[7] = __reduce_or_sync(0xffffffffu, bits);
  mine_out[8] = __reduce_xor_sync(0xffffffffu, bits);
}

// Lanes of two masks meet apart; odd lanes do so twice.
__global__ void partial_masks(const int* in, int* out) {
  const int mine = in[rank()];
  if (rank() % 2 == 0) {
    out[rank()] = __reduce_add_sync(0x55555555u, mine);
  } else {
    out[rank()] = __reduce_add_sync(0xaaaaaaaau, mine) - __reduce_max_sync(0xaaaaaaaau, mine);
  }
}

// Matches among the lanes of one mask alone.
__global__ void matches_in_masks(const int* in, unsigned* out) {
  const int mine = in[rank()];
  unsigned* mine_out = out + rank() * 2;
  int is_same = 0;
  if (rank() % 32 < 12) {
    mine_out[0] = __match_any_sync(0xfffu, mine & 1);
    mine_out[1] = __match_all_sync(0xfffu, mine & 1, &is_same);
  } else {
    mine_out[0] = __match_any_sync(0xfffff000u, static_cast<long long>(mine & 1) << 40);
    mine_out[1] = __match_all_sync(0xfffff000u, 3.5, &is_same) + is_same;
  }
}

// The last warp of the block is not full: lanes that are not there are not waited for.
__global__ void partial_last_warp(const int* in, int* out) {
  const unsigned mask = __ballot_sync(0xffffffffu, 1);
  int sum = in[rank()];
  const unsigned lanes = blockDim.x - rank() / 32 * 32 < 32 ? blockDim.x % 32 : 32;
  for (unsigned delta = 16; delta > 0; delta /= 2) {
    const unsigned source = rank() % 32 + delta;
    const int other = __shfl_sync(mask, sum, source < lanes ? source : rank() % 32);
    if (source < lanes) sum += other;
  }
  out[rank()] = __shfl_sync(mask, sum, 0);
}

// Lanes that leave early are not waited for either.
__global__ void early_return(const int* in, int* out) {
  if (rank() % 32 >= 20) return;
  out[rank()] = __reduce_max_sync(0xfffffu, in[rank()]);
  __syncwarp();
}

__global__ void warp_synchronous(const int* in, int* out) {
  __shared__ int values[128];
  const unsigned lane = rank() % 32, base = rank() - lane;
  values[rank()] = in[rank()];
  __syncwarp();
  for (unsigned delta = 16; delta > 0; delta /= 2) {
    const int other = lane < delta ? values[base + lane + delta] : 0;
    __syncwarp();
    if (lane < delta) values[base + lane] += other;
    __syncwarp();
  }
  out[rank()] = values[base];
}

// One atomic a group of lanes that stand together.
__global__ void aggregated(const int* in, int* out) {
  if (in[rank()] % 3 == 0) {
    const unsigned together = __activemask();
    const int leader = __ffs(together) - 1;
    int base = 0;
    if (static_cast<int>(rank() % 32) == leader) base = atomicAdd(out, __popc(together));
    base = __shfl_sync(together, base, leader);
    out[1 + base + __popc(together & ((1u << rank() % 32) - 1))] = in[rank()];
  }
}

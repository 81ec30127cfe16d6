// out[i] = in[0] + … + in[i], modulo 2^32: the inclusive scan of a vector of 32-bit integers of any length and alignment.
//
// A block scans a tile: each warp a part of it, pack after pack, and the warps' sums give each warp what lies before it.
//
// The ways, values of `way`:
//   reduce_then_scan  one launch adds up each tile, a second one of one block scans these sums, and a third one scans the
//                     tiles: memory is read twice and written once
//   look_back         one launch: a block publishes its tile's sum, and finds what lies before the tile by looking back at
//                     the tiles in front of it, 32 at a time, until one of them knows its own sum from the beginning.
//                     Memory is read once and written once
//
// Parameters:
//   threadsPerBlock  a multiple of 32
//   vectorWidth      elements of a load
//   perThread        loads of a thread; a tile has threadsPerBlock * vectorWidth * perThread elements
//   loadHint, storeHint  plain, streaming (see common/loads.cuh)

#include <cuda/atomic>

#include "common/loads.cuh"

enum class Way { reduce_then_scan, look_back };

constexpr gktune::Hint kLoadHint = gktune::Hint::loadHint, kStoreHint = gktune::Hint::storeHint;
constexpr int kWarps = threadsPerBlock / 32;
constexpr int kTile = threadsPerBlock * vectorWidth * perThread;
constexpr unsigned kAll = 0xffffffffu;

using Word = unsigned int;  // adds up modulo 2^32

// The sum of a warp's values up to this lane's.
__device__ inline Word scan_of_warp(Word value) {
  const int lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int offset = 1; offset < 32; offset *= 2) {
    const Word before = __shfl_up_sync(kAll, value, offset);
    if (lane >= offset) value += before;
  }
  return value;
}

// The sum of the values of all threads before this one, and of all. Every thread of the block calls it.
struct Sums {
  Word before, all;
};
__device__ inline Sums scan_of_block(Word value, Word of_warp) {
  __shared__ Word sums[kWarps];
  const int warp = static_cast<int>(threadIdx.x / 32);
  __syncthreads();  // of an earlier use
  if (threadIdx.x % 32 == 31) sums[warp] = of_warp;
  __syncthreads();
  Sums result{value, 0};
#pragma unroll
  for (int i = 0; i < kWarps; ++i) {
    if (i < warp) result.before += sums[i];
    result.all += sums[i];
  }
  return result;
}

// A block's tile in registers: pack k of a lane lies behind pack k of the lane before it, and pack k + 1 of a warp behind
// all its packs k. Tiles begin at multiples of a pack's bytes, so the first may begin before the vector.
class Tile {
 public:
  __device__ Tile(const int* in, long long tile, long long n) : n_(n) {
    const auto past = reinterpret_cast<unsigned long long>(in) % (sizeof(int) * vectorWidth) / sizeof(int);
    const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
    const long long first = tile * kTile - static_cast<long long>(past);
    is_whole_ = first >= 0 && first + kTile <= n;
    first_ = first + (warp * perThread * 32 + lane) * vectorWidth;
    if (is_whole_) {
#pragma unroll
      for (int k = 0; k < perThread; ++k) {
        const auto pack = gktune::load_pack<kLoadHint, vectorWidth>(in + place(k));
#pragma unroll
        for (int i = 0; i < vectorWidth; ++i) values_[k][i] = static_cast<Word>(pack.at[i]);
      }
    } else {
#pragma unroll
      for (int k = 0; k < perThread; ++k) {
#pragma unroll
        for (int i = 0; i < vectorWidth; ++i) values_[k][i] = has(k, i) ? static_cast<Word>(in[place(k) + i]) : 0;
      }
    }
  }

  // The sum of the tile, in every thread.
  __device__ Word sum() const {
    Word sum = 0;
#pragma unroll
    for (int k = 0; k < perThread; ++k) {
#pragma unroll
      for (int i = 0; i < vectorWidth; ++i) sum += values_[k][i];
    }
    return scan_of_block(0, scan_of_warp(sum)).all;
  }

  // Every value becomes the sum from the warp's part of the tile up to it. Returns the sums of the block.
  __device__ Sums scan() {
    Word before = 0;
#pragma unroll
    for (int k = 0; k < perThread; ++k) {
#pragma unroll
      for (int i = 1; i < vectorWidth; ++i) values_[k][i] += values_[k][i - 1];
      const Word own = values_[k][vectorWidth - 1];
      const Word upto = scan_of_warp(own);
#pragma unroll
      for (int i = 0; i < vectorWidth; ++i) values_[k][i] += before + upto - own;
      before += __shfl_sync(kAll, upto, 31);
    }
    return scan_of_block(0, before);
  }

  __device__ void store(int* out, Word before) const {
    const bool in_packs =
        is_whole_ && reinterpret_cast<unsigned long long>(out + first_) % (sizeof(int) * vectorWidth) == 0;
#pragma unroll
    for (int k = 0; k < perThread; ++k) {
      gktune::Pack<int, vectorWidth> pack;
#pragma unroll
      for (int i = 0; i < vectorWidth; ++i) pack.at[i] = static_cast<int>(values_[k][i] + before);
      if (in_packs) {
        gktune::store_pack<kStoreHint>(out + place(k), pack);
      } else {
#pragma unroll
        for (int i = 0; i < vectorWidth; ++i) {
          if (has(k, i)) out[place(k) + i] = pack.at[i];
        }
      }
    }
  }

 private:
  __device__ long long place(int k) const { return first_ + k * (32 * vectorWidth); }
  __device__ bool has(int k, int i) const { return place(k) + i >= 0 && place(k) + i < n_; }

  Word values_[perThread][vectorWidth];
  long long n_, first_;
  bool is_whole_;
};

// The state and the sum of a tile in one word, which threads read and write at once.
enum State : Word { kNothing, kSumOfTile, kSumFromBeginning };
using Known = unsigned long long;  // the state above the sum
using Shared = cuda::atomic_ref<Known, cuda::thread_scope_device>;

__device__ inline void publish(Known& known, State state, Word sum) {
  Shared(known).store(static_cast<Known>(state) << 32 | sum, cuda::memory_order_relaxed);
}

// The sum of all tiles before this one. The first warp calls it; every lane gets the result.
__device__ inline Word look_back(Known* known, long long tile) {
  const int lane = static_cast<int>(threadIdx.x);
  Word sum = 0;
  for (long long nearest = tile - 1; nearest >= 0; nearest -= 32) {
    const long long mine = nearest - lane;
    Known seen = static_cast<Known>(kSumFromBeginning) << 32;  // before the first tile is nothing
    if (mine >= 0) {
      do {
        seen = Shared(known[mine]).load(cuda::memory_order_relaxed);
      } while (seen >> 32 == kNothing);
    }
    // The nearest tile that knows all before it, and those between.
    const unsigned complete = __ballot_sync(kAll, seen >> 32 == kSumFromBeginning);
    const int last = complete == 0 ? 31 : __ffs(static_cast<int>(complete)) - 1;
    sum += __reduce_add_sync(kAll, lane <= last ? static_cast<Word>(seen) : 0u);
    if (complete != 0) break;
  }
  return sum;
}

// `work` holds zeros: the number of tiles that were begun, then what is known of each. A block takes the next tile when it
// begins, so that those in front of it have begun too and will answer.
__global__ void __launch_bounds__(threadsPerBlock) scan_looking_back(const int* in, int* out, Known* work, long long n) {
  __shared__ long long taken;
  __shared__ Word before_tile;
  if (threadIdx.x == 0) taken = static_cast<long long>(atomicAdd(&work[0], 1ull));
  __syncthreads();
  const long long number = taken;
  Known* known = work + 1;
  Tile tile(in, number, n);
  const Sums sums = tile.scan();
  if (threadIdx.x < 32) {
    Word before = 0;
    if (number > 0) {
      if (threadIdx.x == 0) publish(known[number], kSumOfTile, sums.all);
      before = look_back(known, number);
    }
    if (threadIdx.x == 0) {
      publish(known[number], kSumFromBeginning, before + sums.all);
      before_tile = before;
    }
  }
  __syncthreads();
  tile.store(out, before_tile + sums.before);
}

__global__ void __launch_bounds__(threadsPerBlock) reduce_tiles(const int* in, Known* work, long long n) {
  const Word sum = Tile(in, blockIdx.x, n).sum();
  if (threadIdx.x == 0) work[blockIdx.x] = sum;
}

// Each tile's sum becomes that of all tiles before it.
__global__ void __launch_bounds__(threadsPerBlock) scan_sums(Known* work, long long tiles) {
  Word before = 0;
  for (long long first = 0; first < tiles; first += threadsPerBlock) {
    const long long tile = first + threadIdx.x;
    const Word own = tile < tiles ? static_cast<Word>(work[tile]) : 0;
    const Word upto = scan_of_warp(own);
    const Sums sums = scan_of_block(upto - own, upto);
    if (tile < tiles) work[tile] = before + sums.before;
    before += sums.all;
  }
}

__global__ void __launch_bounds__(threadsPerBlock) scan_tiles(const int* in, int* out, const Known* work, long long n) {
  Tile tile(in, blockIdx.x, n);
  const Sums sums = tile.scan();
  tile.store(out, static_cast<Word>(work[blockIdx.x]) + sums.before);
}

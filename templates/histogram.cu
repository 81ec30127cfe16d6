// Counts the occurrences of each of the 256 values in a vector of bytes, of any length and at any address.
//
// The ways, values of `way`, from the textbook's first to the one that reaches a GPU's memory bandwidth:
//   global_bytes  one byte a thread, added to the bins in global memory
//   global_words  the same with the four bytes of a word
//   shared        one word a thread, added to bins in shared memory; each block adds its bins up at the end
//   interleaved   the same with wordsPerThread words, a stride of the grid apart
//   contiguous    the same with wordsPerThread words side by side
//   grid_stride   as many blocks as the GPU holds, each taking batch after batch until the vector is used up
//
// Parameters:
//   threadsPerBlock  a multiple of 32
//   wordsPerThread   words that a thread takes at once
//   vectorWidth      words a load: 4 are 16 bytes
//   blocksPerSm      grid_stride: how many blocks a multiprocessor is given
//   copies           of the bins in shared memory, side by side: bins[bin * copies + copy]. With a copy for each of
//                    the 32 lanes no two lanes ever ask the same bank
//   copyBy           who shares a copy: lane (the same lanes of all warps) or warp (the lanes of one warp)
//   aggregation      what meets before the bins are touched: none, run_length (equal bytes that follow each other in a
//                    thread), warp (equal bytes in a warp)
//   loadHint         plain, streaming, bypass_l1 (see common/loads.cuh)
//
// `counts` must be zero before: the clearing is a launch of the candidate.

#include "common/loads.cuh"

enum class Way { global_bytes, global_words, shared, interleaved, contiguous, grid_stride };
enum class CopyBy { lane, warp };
enum class Aggregation { none, run_length, warp };

constexpr Way kWay = Way::way;
constexpr CopyBy kCopyBy = CopyBy::copyBy;
constexpr Aggregation kAggregation = Aggregation::aggregation;
constexpr gktune::Hint kHint = gktune::Hint::loadHint;
constexpr bool kShared = kWay != Way::global_bytes && kWay != Way::global_words;
constexpr int kBins = 256;
constexpr int kPacksPerThread = wordsPerThread / vectorWidth;
static_assert((copies & (copies - 1)) == 0, "a power of two");
static_assert(wordsPerThread % vectorWidth == 0, "a thread's words are made of whole loads");

typedef unsigned char Byte;
typedef unsigned long long Count;

// The counters of a thread.
struct Bins {
  unsigned int* shared;  // all copies: bin b of copy c is shared[b * copies + c]
  int copy;              // this thread's
  Count* counts;         // the result in global memory

  __device__ void add(int bin, unsigned int times) const {
    if constexpr (kShared) {
      // The copy's bits lie below the bin's: one instruction masks a byte out of its word and brings both together.
      atomicAdd(&shared[bin * copies | copy], times);
    } else {
      atomicAdd(&counts[bin], static_cast<Count>(times));
    }
  }
};

// Counts byte after byte. Every lane of a warp calls `count` equally often; a lane without a byte says so.
struct Counter {
  Bins bins;
  int running = 0;  // run_length: the byte that repeats
  unsigned int times = 0;

  __device__ void count(int byte, bool is_there) {
    if constexpr (kAggregation == Aggregation::none) {
      if (is_there) bins.add(byte, 1);
    } else if constexpr (kAggregation == Aggregation::run_length) {
      if (!is_there) return;
      if (byte != running) {
        finish();
        running = byte;
      }
      ++times;
    } else {
      const unsigned int equal = __match_any_sync(0xffffffffu, is_there ? byte : kBins);
      const bool leads = __ffs(static_cast<int>(equal)) - 1 == static_cast<int>(threadIdx.x % 32);
      if (is_there && leads) bins.add(byte, __popc(equal));
    }
  }

  __device__ void count_word(unsigned int word, bool is_there) {
#pragma unroll
    for (int shift = 0; shift < 32; shift += 8) count(static_cast<int>(word >> shift & 0xffu), is_there);
  }

  __device__ void finish() {
    if (times > 0) bins.add(running, times);
    times = 0;
  }
};

__device__ inline void clear(unsigned int* bins) {
  for (int i = static_cast<int>(threadIdx.x); i < kBins * copies; i += threadsPerBlock) bins[i] = 0;
  __syncthreads();
}

// Adds the block's copies to the result. As many threads share a bin as there are for it, side by side, and start at
// different copies, so that they ask different banks.
__device__ inline void flush(const unsigned int* bins, Count* counts) {
  constexpr int kEnough = threadsPerBlock >= 4 * kBins ? 4 : threadsPerBlock >= 2 * kBins ? 2 : 1;
  constexpr int kSharing = kEnough < copies ? kEnough : copies;
  constexpr int kShare = copies / kSharing;
  __syncthreads();
  for (int i = static_cast<int>(threadIdx.x); i < kBins * kSharing; i += threadsPerBlock) {
    const int bin = i / kSharing, first = i % kSharing * kShare;
    Count sum = 0;
    for (int k = 0; k < kShare; ++k) sum += bins[bin * copies + (first + k + bin) % copies];
    for (int offset = kSharing / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffffu, sum, offset);
    if (i % kSharing == 0 && sum > 0) atomicAdd(&counts[bin], sum);
  }
  __syncthreads();
}

__global__ void __launch_bounds__(threadsPerBlock) histogram(const Byte* in, Count* counts, long long n) {
  __shared__ unsigned int bins[kShared ? kBins * copies : 1];
  const int thread = static_cast<int>(threadIdx.x);
  const int copy = (kCopyBy == CopyBy::lane ? thread : thread / 32) % copies;
  if constexpr (kShared) clear(bins);
  Counter counter{{bins, copy, counts}};

  if constexpr (kWay == Way::global_bytes) {
    const long long stride = static_cast<long long>(gridDim.x) * threadsPerBlock;
    for (long long first = static_cast<long long>(blockIdx.x) * threadsPerBlock; first < n; first += stride) {
      const long long i = first + thread;
      const bool is_there = i < n;
      counter.count(is_there ? in[i] : 0, is_there);
    }
    counter.finish();
    return;
  }

  const gktune::Split<Byte, 4 * vectorWidth> split(in, n);
  const Byte* body = in + split.before;
  constexpr long long kBatch = static_cast<long long>(threadsPerBlock) * kPacksPerThread;
  // `interleaved`: the packs of a thread lie a stride of the grid apart; else a block's batch lies together.
  const long long grid_threads = static_cast<long long>(gridDim.x) * threadsPerBlock;
  const long long step = kWay == Way::interleaved ? grid_threads : kWay == Way::contiguous ? 1 : threadsPerBlock;
  const long long block_begin = kWay == Way::interleaved ? static_cast<long long>(blockIdx.x) * threadsPerBlock
                                                         : blockIdx.x * kBatch;
  const long long my_begin = static_cast<long long>(thread) * (kWay == Way::contiguous ? kPacksPerThread : 1);
  constexpr unsigned int kBytesPerBatch = threadsPerBlock * wordsPerThread * 4u;
  unsigned int unflushed = 0;  // bytes that a 32-bit bin may hold

  // Distance between the first and the last pack of a block's batch.
  const long long reach = kWay == Way::interleaved ? (kPacksPerThread - 1) * grid_threads + threadsPerBlock : kBatch;

  for (long long first = block_begin; first < split.packs; first += gridDim.x * kBatch) {
    const unsigned int* words = reinterpret_cast<const unsigned int*>(body);
    const long long mine = first + my_begin;
    if (first + reach <= split.packs) {
      gktune::Pack<unsigned int, vectorWidth> packs[kPacksPerThread];
#pragma unroll
      for (int i = 0; i < kPacksPerThread; ++i) {
        packs[i] = gktune::load_pack<kHint, vectorWidth>(words + (mine + i * step) * vectorWidth);
      }
#pragma unroll
      for (int i = 0; i < kPacksPerThread; ++i) {
#pragma unroll
        for (int w = 0; w < vectorWidth; ++w) counter.count_word(packs[i].at[w], true);
      }
    } else {
      for (int i = 0; i < kPacksPerThread; ++i) {
        const bool is_there = mine + i * step < split.packs;
        gktune::Pack<unsigned int, vectorWidth> pack = {};
        if (is_there) pack = gktune::load_pack<kHint, vectorWidth>(words + (mine + i * step) * vectorWidth);
        for (int w = 0; w < vectorWidth; ++w) counter.count_word(pack.at[w], is_there);
      }
    }
    unflushed += kBytesPerBatch;
    if (kShared && unflushed > 0xffffffffu - kBytesPerBatch) {
      counter.finish();
      flush(bins, counts);
      clear(bins);
      unflushed = 0;
    }
  }

  // The ends, fewer bytes than a pack each, are the first block's.
  if (blockIdx.x == 0) {
    for (int first = 0; first < 4 * vectorWidth; first += threadsPerBlock) {
      const int i = first + thread;
      const bool is_before = i < split.before, is_after = i < split.after;
      counter.count(is_before ? in[i] : 0, is_before);
      counter.count(is_after ? in[n - split.after + i] : 0, is_after);
    }
  }
  counter.finish();
  if constexpr (kShared) flush(bins, counts);
}

// The sum of one value a thread over a block, in four ways that differ in how the last 32 lanes meet.
#pragma once

namespace gktune {

enum class Tail {
  tree,      // halving in shared memory to the end, a block barrier each
  syncwarp,  // halving down to a warp, which then needs no block barrier
  shuffle,   // each warp through registers, then the warps' sums
  redux,     // the same with one instruction a warp; 32-bit integers only
};

template <Tail kTail, class Value>
__device__ inline Value warp_sum(Value value) {
  constexpr unsigned kAll = 0xffffffffu;
  if constexpr (kTail == Tail::redux) {
    return __reduce_add_sync(kAll, value);
  } else {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_down_sync(kAll, value, offset);
    return value;
  }
}

// Every thread of the block calls it; thread 0 gets the sum. kThreads is the block's size, a multiple of 32.
template <int kThreads, Tail kTail, class Value>
__device__ inline Value block_sum(Value value) {
  static_assert(kThreads % 32 == 0 && kThreads <= 1024, "a block of whole warps");
  const int thread = static_cast<int>(threadIdx.x);

  if constexpr (kTail == Tail::tree || kTail == Tail::syncwarp) {
    __shared__ Value values[kThreads];
    values[thread] = value;
    constexpr int kLast = kTail == Tail::tree ? 1 : 32;  // the widest step that is left to the warp, and past it
    int width = kThreads;
    while (width > kLast) {
      const int half = (width + 1) / 2;
      __syncthreads();
      if (thread + half < width) values[thread] += values[thread + half];
      width = half;
    }
    __syncthreads();
    if constexpr (kTail == Tail::syncwarp) {
      if (thread < 32) {
        for (int half = 16; half > 0; half /= 2) {
          const Value other = thread + half < width ? values[thread + half] : Value(0);
          __syncwarp();
          if (thread < half) values[thread] += other;
          __syncwarp();
          width = half;
        }
      }
    }
    return values[0];
  } else {
    constexpr int kWarps = kThreads / 32;
    __shared__ Value sums[kWarps];
    value = warp_sum<kTail>(value);
    if (thread % 32 == 0) sums[thread / 32] = value;
    __syncthreads();
    if (thread < 32) value = warp_sum<kTail>(thread < kWarps ? sums[thread] : Value(0));
    return value;
  }
}

}  // namespace gktune

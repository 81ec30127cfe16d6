// One value a thread reduced over a block, in ways that differ in how the last 32 lanes meet.
#pragma once

#include "reduction.cuh"

namespace gktune {

enum class Tail {
  tree,      // halving in shared memory to the end, a block barrier each
  syncwarp,  // halving down to a warp, which then needs no block barrier
  shuffle,   // each warp through registers, then the warps' values
  redux,     // the same with one instruction a warp; 32-bit integers only
};

template <Operation kOperation, Tail kTail, class Value>
__device__ inline Value warp_reduction(Value value) {
  constexpr unsigned kAll = 0xffffffffu;
  if constexpr (kTail == Tail::redux && kOperation == Operation::sum) {
    return __reduce_add_sync(kAll, value);
  } else if constexpr (kTail == Tail::redux && kOperation == Operation::min) {
    return __reduce_min_sync(kAll, value);
  } else if constexpr (kTail == Tail::redux) {
    return __reduce_max_sync(kAll, value);
  } else {
    for (int offset = 16; offset > 0; offset /= 2) {
      value = Reduction<kOperation, Value>::combined(value, __shfl_down_sync(kAll, value, offset));
    }
    return value;
  }
}

// Halves kThreads values, one a thread, until kLast are left or one; any memory that the block shares will do. Returns
// how many are left. The block has met after it.
template <Operation kOperation, int kThreads, int kLast, class Value>
__device__ inline int halve(Value* values) {
  const int thread = static_cast<int>(threadIdx.x);
  int width = kThreads;
  while (width > kLast) {
    const int half = (width + 1) / 2;
    __syncthreads();
    if (thread + half < width) {
      values[thread] = Reduction<kOperation, Value>::combined(values[thread], values[thread + half]);
    }
    width = half;
  }
  __syncthreads();
  return width;
}

// Every thread of the block calls it; thread 0 gets the result. kThreads is the block's size, a multiple of 32.
template <Operation kOperation, int kThreads, Tail kTail, class Value>
__device__ inline Value block_reduction(Value value) {
  static_assert(kThreads % 32 == 0 && kThreads <= 1024, "a block of whole warps");
  using Of = Reduction<kOperation, Value>;
  const int thread = static_cast<int>(threadIdx.x);

  if constexpr (kTail == Tail::tree || kTail == Tail::syncwarp) {
    __shared__ Value values[kThreads];
    values[thread] = value;
    int width = halve<kOperation, kThreads, kTail == Tail::tree ? 1 : 32>(values);
    if constexpr (kTail == Tail::syncwarp) {
      if (thread < 32) {
        for (int half = 16; half > 0; half /= 2) {
          const Value other = thread + half < width ? values[thread + half] : Of::identity();
          __syncwarp();
          if (thread < half) values[thread] = Of::combined(values[thread], other);
          __syncwarp();
          width = half;
        }
      }
    }
    // The other warps do not wait for the first one to finish.
    return kTail == Tail::tree || thread < 32 ? values[0] : value;
  } else {
    constexpr int kWarps = kThreads / 32;
    __shared__ Value of_warps[kWarps];
    value = warp_reduction<kOperation, kTail>(value);
    if (thread % 32 == 0) of_warps[thread / 32] = value;
    __syncthreads();
    if (thread < 32) {
      value = warp_reduction<kOperation, kTail>(thread < kWarps ? of_warps[thread] : Of::identity());
    }
    return value;
  }
}

}  // namespace gktune

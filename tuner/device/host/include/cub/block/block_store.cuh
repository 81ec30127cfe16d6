#pragma once

#include "cub/util_ptx.cuh"

namespace cub {

enum BlockStoreAlgorithm {
  BLOCK_STORE_DIRECT,
  BLOCK_STORE_STRIPED,
  BLOCK_STORE_VECTORIZE,
  BLOCK_STORE_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE,
  BLOCK_STORE_WARP_TRANSPOSE_TIMESLICED
};

// The elements are placed as block_load.cuh has it. `end`: elements from this one on are not stored.
template <class T, int kItems, class To>
void StoreDirectBlocked(int rank, To to, T (&items)[kItems], int end = 0x7fffffff) {
  for (int i = 0; i < kItems; ++i) {
    if (rank * kItems + i < end) to[rank * kItems + i] = items[i];
  }
}
template <class T, int kItems>
void StoreDirectBlockedVectorized(int rank, T* to, T (&items)[kItems]) {
  StoreDirectBlocked(rank, to, items);
}
template <int kThreads, class T, int kItems, class To>
void StoreDirectStriped(int rank, To to, T (&items)[kItems], int end = 0x7fffffff) {
  for (int i = 0; i < kItems; ++i) {
    if (rank + i * kThreads < end) to[rank + i * kThreads] = items[i];
  }
}

template <class T, int kX, int kItems, BlockStoreAlgorithm kAlgorithm = BLOCK_STORE_DIRECT, int kY = 1,
          int kZ = 1, int = 0>
class BlockStore {
 public:
  struct TempStorage {};

  BlockStore() = default;
  explicit BlockStore(TempStorage&) {}

  template <class To>
  void Store(To to, T (&items)[kItems], int end = 0x7fffffff) {
    const int rank = static_cast<int>(::gktune::kernel::thread_rank());
    if constexpr (kAlgorithm == BLOCK_STORE_STRIPED) {
      StoreDirectStriped<kX * kY * kZ>(rank, to, items, end);
    } else {
      StoreDirectBlocked(rank, to, items, end);
    }
  }
};

}  // namespace cub

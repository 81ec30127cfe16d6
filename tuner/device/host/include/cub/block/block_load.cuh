#pragma once

#include "cub/util_ptx.cuh"

namespace cub {

enum BlockLoadAlgorithm {
  BLOCK_LOAD_DIRECT,
  BLOCK_LOAD_STRIPED,
  BLOCK_LOAD_VECTORIZE,
  BLOCK_LOAD_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE,
  BLOCK_LOAD_WARP_TRANSPOSE_TIMESLICED
};

// Thread `rank` gets elements rank * kItems and so on; Elements from `end` on are not loaded.
template <class T, int kItems, class From>
void LoadDirectBlocked(int rank, From from, T (&items)[kItems], int end = 0x7fffffff) {
  for (int i = 0; i < kItems; ++i) {
    if (rank * kItems + i < end) items[i] = from[rank * kItems + i];
  }
}
template <class T, class Default, int kItems, class From>
void LoadDirectBlocked(int rank, From from, T (&items)[kItems], int end, Default otherwise) {
  for (T& item : items) item = otherwise;
  LoadDirectBlocked(rank, from, items, end);
}
template <class T, int kItems>
void LoadDirectBlockedVectorized(int rank, const T* from, T (&items)[kItems]) {
  LoadDirectBlocked(rank, from, items);
}

// Thread `rank` gets elements rank, rank + kThreads and so on.
template <int kThreads, class T, int kItems, class From>
void LoadDirectStriped(int rank, From from, T (&items)[kItems], int end = 0x7fffffff) {
  for (int i = 0; i < kItems; ++i) {
    if (rank + i * kThreads < end) items[i] = from[rank + i * kThreads];
  }
}
template <int kThreads, class T, class Default, int kItems, class From>
void LoadDirectStriped(int rank, From from, T (&items)[kItems], int end, Default otherwise) {
  for (T& item : items) item = otherwise;
  LoadDirectStriped<kThreads>(rank, from, items, end);
}

template <class T, int kX, int kItems, BlockLoadAlgorithm kAlgorithm = BLOCK_LOAD_DIRECT, int kY = 1,
          int kZ = 1, int = 0>
class BlockLoad {
 public:
  struct TempStorage {};

  BlockLoad() = default;
  explicit BlockLoad(TempStorage&) {}

  // `limits`: the number of elements that there are, and the value of the others.
  template <class From, class... Limits>
  void Load(From from, T (&items)[kItems], Limits... limits) {
    const int rank = static_cast<int>(::gktune::kernel::thread_rank());
    if constexpr (kAlgorithm == BLOCK_LOAD_STRIPED) {
      LoadDirectStriped<kX * kY * kZ>(rank, from, items, limits...);
    } else {
      LoadDirectBlocked(rank, from, items, limits...);
    }
  }
};

}  // namespace cub

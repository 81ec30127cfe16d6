#pragma once

#include "cub/thread/thread_reduce.cuh"
#include "cub/util_ptx.cuh"
#include "cub/util_type.cuh"

namespace cub {

enum BlockReduceAlgorithm {
  BLOCK_REDUCE_RAKING_COMMUTATIVE_ONLY,
  BLOCK_REDUCE_RAKING,
  BLOCK_REDUCE_WARP_REDUCTIONS,
  BLOCK_REDUCE_WARP_REDUCTIONS_NONDETERMINISTIC
};

// The first thread of the block gets the result.
template <class T, int kX, BlockReduceAlgorithm = BLOCK_REDUCE_WARP_REDUCTIONS, int kY = 1, int kZ = 1,
          int = 0>
class BlockReduce {
  static constexpr int kThreads = kX * kY * kZ;

 public:
  using TempStorage = ::gktune::kernel::SharedItems<T, kThreads>;

  explicit BlockReduce(TempStorage& storage = ::gktune::kernel::own_storage<TempStorage>(),
                       GKTUNE_SITE_PARAMETERS)
      : storage_(storage), site_(GKTUNE_SITE) {}

  T Sum(T input, int valid = kThreads) { return Reduce(input, cub::Sum(), valid); }
  template <int kItems>
  T Sum(T (&inputs)[kItems]) {
    return Reduce(inputs, cub::Sum());
  }
  template <class Op, int kItems>
  T Reduce(T (&inputs)[kItems], Op op) {
    return Reduce(ThreadReduce(inputs, op), op);
  }
  template <class Op>
  T Reduce(T input, Op op, int valid = kThreads) {
    const int rank = static_cast<int>(::gktune::kernel::thread_rank());
    storage_[rank] = input;
    __syncthreads(site_.file, site_.line);
    return rank == 0 ? total(valid < kThreads ? valid : kThreads, op) : input;
  }

 private:
  // In the order of a GPU: the lanes of each warp in halves, then one warp after the other.
  template <class Op>
  T total(int count, Op op) {
    for (int step = 1; step < 32; step *= 2) {
      for (int i = 0; i + step < count; i += 2 * step) storage_[i] = op(storage_[i], storage_[i + step]);
    }
    for (int i = 32; i < count; i += 32) storage_[0] = op(storage_[0], storage_[i]);
    return storage_[0];
  }

  TempStorage& storage_;
  ::gktune::kernel::Site site_;
};

}  // namespace cub

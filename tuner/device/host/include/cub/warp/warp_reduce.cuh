#pragma once

#include "cub/thread/thread_reduce.cuh"
#include "cub/util_ptx.cuh"

namespace cub {

// The first lane of the warp, or of each segment, gets the result.
template <class T, int kWidth = 32, int = 0>
class WarpReduce {
 public:
  struct TempStorage {};

  explicit WarpReduce(TempStorage&, GKTUNE_SITE_PARAMETERS) : warp_(GKTUNE_SITE) {}

  T Sum(T input, int valid = kWidth) { return Reduce(input, cub::Sum(), valid); }
  T Max(T input, int valid = kWidth) { return Reduce(input, cub::Max(), valid); }
  T Min(T input, int valid = kWidth) { return Reduce(input, cub::Min(), valid); }
  template <class Op>
  T Reduce(T input, Op op, int valid = kWidth) {
    return reduce(input, op, (valid < warp_.size() ? valid : warp_.size()) - 1);
  }

  template <class Flag>
  T HeadSegmentedSum(T input, Flag is_head) {
    return HeadSegmentedReduce(input, is_head, cub::Sum());
  }
  template <class Flag>
  T TailSegmentedSum(T input, Flag is_tail) {
    return TailSegmentedReduce(input, is_tail, cub::Sum());
  }
  template <class Op, class Flag>
  T HeadSegmentedReduce(T input, Flag is_head, Op op) {
    return reduce(input, op, end_of_segment(warp_.ballot(is_head) >> 1));
  }
  template <class Op, class Flag>
  T TailSegmentedReduce(T input, Flag is_tail, Op op) {
    return reduce(input, op, end_of_segment(warp_.ballot(is_tail)));
  }

 private:
  int end_of_segment(unsigned tails) const {
    const unsigned ends = (tails | 1u << (warp_.size() - 1)) & ~0u << warp_.rank();
    return __ffs(static_cast<int>(ends)) - 1;
  }

  // In the order of a GPU's shuffles. `last`: the last lane that counts.
  template <class Op>
  T reduce(T input, Op op, int last) {
    for (int step = 1; step < kWidth; step *= 2) {
      const T other = warp_.from(input, warp_.rank() + step);
      if (warp_.rank() + step <= last) input = op(input, other);
    }
    return input;
  }

  ::gktune::kernel::LogicalWarp<kWidth> warp_;
};

}  // namespace cub

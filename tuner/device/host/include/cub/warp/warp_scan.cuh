#pragma once

#include "cub/thread/thread_operators.cuh"
#include "cub/util_ptx.cuh"

namespace cub {

template <class T, int kWidth = 32, int = 0>
class WarpScan {
 public:
  struct TempStorage {};

  explicit WarpScan(TempStorage&, GKTUNE_SITE_PARAMETERS) : warp_(GKTUNE_SITE) {}

  void InclusiveSum(T input, T& sum) { InclusiveScan(input, sum, cub::Sum()); }
  void InclusiveSum(T input, T& sum, T& total) { InclusiveScan(input, sum, cub::Sum(), total); }
  void ExclusiveSum(T input, T& sum) { ExclusiveScan(input, sum, T{}, cub::Sum()); }
  void ExclusiveSum(T input, T& sum, T& total) { ExclusiveScan(input, sum, T{}, cub::Sum(), total); }

  template <class Op>
  void InclusiveScan(T input, T& inclusive, Op op) {
    for (int step = 1; step < kWidth; step *= 2) {
      const T other = warp_.from(input, warp_.rank() - step);
      if (warp_.rank() >= step) input = op(other, input);
    }
    inclusive = input;
  }
  template <class Op>
  void InclusiveScan(T input, T& inclusive, Op op, T& total) {
    InclusiveScan(input, inclusive, op);
    total = Broadcast(inclusive, warp_.size() - 1);
  }
  // The first lane's result is undefined.
  template <class Op>
  void ExclusiveScan(T input, T& exclusive, Op op) {
    Scan(input, input, exclusive, op);
  }
  template <class Op>
  void ExclusiveScan(T input, T& exclusive, Op op, T& total) {
    InclusiveScan(input, input, op, total);
    exclusive = before(input);
  }
  template <class Op>
  void ExclusiveScan(T input, T& exclusive, T initial, Op op) {
    Scan(input, input, exclusive, initial, op);
  }
  template <class Op>
  void ExclusiveScan(T input, T& exclusive, T initial, Op op, T& total) {
    InclusiveScan(input, input, op, total);
    const T other = before(input);
    exclusive = warp_.rank() == 0 ? initial : op(initial, other);
  }
  template <class Op>
  void Scan(T input, T& inclusive, T& exclusive, Op op) {
    InclusiveScan(input, inclusive, op);
    exclusive = before(inclusive);
  }
  template <class Op>
  void Scan(T input, T& inclusive, T& exclusive, T initial, Op op) {
    T ignored = input;
    ExclusiveScan(input, exclusive, initial, op, ignored);
    inclusive = op(exclusive, input);
  }
  T Broadcast(T input, unsigned rank) { return warp_.from(input, static_cast<int>(rank)); }

 private:
  T before(const T& value) { return warp_.from(value, warp_.rank() - 1); }

  ::gktune::kernel::LogicalWarp<kWidth> warp_;
};

}  // namespace cub

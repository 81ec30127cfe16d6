#pragma once

#include "cub/thread/thread_operators.cuh"

namespace cub {

template <int kItems, class T, class Op>
T ThreadReduce(const T (&items)[kItems], Op op) {
  T total = items[0];
  for (int i = 1; i < kItems; ++i) total = op(total, items[i]);
  return total;
}

}  // namespace cub

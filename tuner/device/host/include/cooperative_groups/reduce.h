#pragma once

// cooperative_groups::reduce over a tile or a coalesced group, for any operation that can be called.

#include "cooperative_groups.h"

namespace cooperative_groups {

template <class T>
struct plus {
  T operator()(T a, T b) const { return a + b; }
};
template <class T>
struct less {
  T operator()(T a, T b) const { return b < a ? b : a; }
};
template <class T>
struct greater {
  T operator()(T a, T b) const { return a < b ? b : a; }
};
template <class T>
struct bit_and {
  T operator()(T a, T b) const { return a & b; }
};
template <class T>
struct bit_or {
  T operator()(T a, T b) const { return a | b; }
};
template <class T>
struct bit_xor {
  T operator()(T a, T b) const { return a ^ b; }
};

// Every thread of the group gets the same, summed up in the same order.
template <class Group, class T, class Op>
T reduce(const Group& group, T value, Op op, GKTUNE_SITE_PARAMETERS) {
  for (unsigned half = 16; half > 0; half /= 2) {
    const T other = group.shfl_down(value, half, file_, line_);
    if (group.thread_rank() + half < group.size()) value = op(value, other);
  }
  return group.shfl(value, 0, file_, line_);
}

}  // namespace cooperative_groups

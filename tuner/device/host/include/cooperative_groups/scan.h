#pragma once

// Prefix sums over a tile or a coalesced group.

#include "cooperative_groups/reduce.h"

namespace cooperative_groups {

template <class Group, class T, class Op>
T inclusive_scan(const Group& group, T value, Op op, GKTUNE_SITE_PARAMETERS) {
  for (unsigned delta = 1; delta < 32; delta *= 2) {
    const T other = group.shfl_up(value, delta, file_, line_);
    if (group.thread_rank() >= delta) value = op(other, value);
  }
  return value;
}
template <class Group, class T>
T inclusive_scan(const Group& group, T value, GKTUNE_SITE_PARAMETERS) {
  return inclusive_scan(group, value, plus<T>(), file_, line_);
}

template <class Group, class T, class Op>
T exclusive_scan(const Group& group, T value, Op op, GKTUNE_SITE_PARAMETERS) {
  const T before = group.shfl_up(inclusive_scan(group, value, op, file_, line_), 1, file_, line_);
  return group.thread_rank() == 0 ? T() : before;
}
template <class Group, class T>
T exclusive_scan(const Group& group, T value, GKTUNE_SITE_PARAMETERS) {
  return exclusive_scan(group, value, plus<T>(), file_, line_);
}

}  // namespace cooperative_groups

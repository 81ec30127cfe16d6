#pragma once

// Copies by a group. A copy happens at once; waiting for it is a barrier of the group.

#include "cooperative_groups.h"

namespace cooperative_groups {

template <class Group, class T, class Size>
GKTUNE_ALWAYS_INLINE void memcpy_async(const Group& group, T* to, const T* from, Size bytes) {
  const char* source = reinterpret_cast<const char*>(from);
  char* target = reinterpret_cast<char*>(to);
  for (__SIZE_TYPE__ i = group.thread_rank(); i < static_cast<__SIZE_TYPE__>(bytes); i += group.size()) {
    target[i] = source[i];
  }
}
template <class Group>
void wait(const Group& group, GKTUNE_SITE_PARAMETERS) {
  group.sync(file_, line_);
}
template <unsigned kPrior, class Group>
void wait_prior(const Group& group, GKTUNE_SITE_PARAMETERS) {
  group.sync(file_, line_);
}

}  // namespace cooperative_groups

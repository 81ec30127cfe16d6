#pragma once

#include "gktune/cuda.h"

namespace cuda {

enum thread_scope { thread_scope_system, thread_scope_device, thread_scope_block, thread_scope_thread };

// A size that is known to be a multiple of something.
template <__SIZE_TYPE__ kAlignment>
struct aligned_size_t {
  static constexpr __SIZE_TYPE__ align = kAlignment;
  __SIZE_TYPE__ value;
  explicit aligned_size_t(__SIZE_TYPE__ bytes) : value(bytes) {}
  operator __SIZE_TYPE__() const { return value; }
};

}  // namespace cuda

#pragma once

#include <cstddef>

namespace gktune {

// Allocations through `new`, counted in programs that link heap_count.cc.
struct HeapCount {
  static std::size_t live_bytes();
  static std::size_t peak_bytes();  // since the last time it was forgotten
  static void forget_peak();
};

}  // namespace gktune

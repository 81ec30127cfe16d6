#pragma once

#include <cstddef>

namespace gktune {

// What a program that links heap_count.cc has asked of `new`.
struct HeapCount {
  static std::size_t live_bytes();
  static std::size_t peak_bytes();  // since the last time it was forgotten
  static void forget_peak();
};

}  // namespace gktune

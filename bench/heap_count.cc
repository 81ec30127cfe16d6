#include "bench/heap_count.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <new>

namespace {

std::size_t live = 0, peak = 0;

}  // namespace

void* operator new(std::size_t size) {
  void* const block = std::malloc(size);
  if (block == nullptr) throw std::bad_alloc();
  live += malloc_usable_size(block);
  peak = std::max(peak, live);
  return block;
}

void operator delete(void* block) noexcept {
  live -= malloc_usable_size(block);
  std::free(block);
}

void operator delete(void* block, std::size_t) noexcept { operator delete(block); }

namespace gktune {

std::size_t HeapCount::live_bytes() { return live; }
std::size_t HeapCount::peak_bytes() { return peak; }
void HeapCount::forget_peak() { peak = live; }

}  // namespace gktune

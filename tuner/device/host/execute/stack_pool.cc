#include "tuner/device/host/execute/stack_pool.h"

#include <sys/mman.h>

#include <algorithm>

namespace gktune {
namespace {

constexpr std::size_t kPageBytes = 4096;
constexpr std::size_t kLine = 64;

// Stacks are pages apart, so without this their hot ends would all compete for the same few sets of the
// cache.
std::size_t color_bytes(std::size_t index) { return index * 5 % (kPageBytes / kLine) * kLine; }

}  // namespace

StackPool::StackPool(std::size_t stack_bytes)
    : stack_bytes_((stack_bytes + kPageBytes - 1) / kPageBytes * kPageBytes + kPageBytes) {}

StackPool::~StackPool() {
  for (std::byte* base : bases_) munmap(base, stack_bytes_ + kPageBytes);
}

void* StackPool::top(std::size_t index) {
  while (bases_.size() <= index) {
    void* memory = mmap(nullptr, stack_bytes_ + kPageBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    if (mprotect(memory, kPageBytes, PROT_NONE) != 0) {
      munmap(memory, stack_bytes_ + kPageBytes);
      return nullptr;
    }
    bases_.push_back(static_cast<std::byte*>(memory));
  }
  return bases_[index] + kPageBytes + stack_bytes_ - color_bytes(index);
}

bool StackPool::holds(const void* address) const {
  const auto* at = static_cast<const std::byte*>(address);
  return std::ranges::any_of(bases_, [&](const std::byte* base) {
    return at >= base + kPageBytes && at < base + kPageBytes + stack_bytes_;
  });
}

bool StackPool::is_overflow(const void* address) const {
  const auto* at = static_cast<const std::byte*>(address);
  for (const std::byte* base : bases_) {
    if (at >= base && at < base + kPageBytes) return true;
  }
  return false;
}

}  // namespace gktune

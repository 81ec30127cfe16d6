#include "tuner/device/host/stack_pool.h"

#include <sys/mman.h>

#include <algorithm>

namespace gktune {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kLine = 64;

// Stacks are pages apart, so without this their hot ends would all compete for the same few sets of the
// cache.
std::size_t color_bytes(std::size_t index) { return index * 5 % (kPage / kLine) * kLine; }

}  // namespace

StackPool::StackPool(std::size_t stack_bytes)
    : stack_bytes_((stack_bytes + kPage - 1) / kPage * kPage + kPage) {}

StackPool::~StackPool() {
  for (std::byte* base : bases_) munmap(base, stack_bytes_ + kPage);
}

void* StackPool::top(std::size_t index) {
  while (bases_.size() <= index) {
    void* memory = mmap(nullptr, stack_bytes_ + kPage, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    if (mprotect(memory, kPage, PROT_NONE) != 0) {
      munmap(memory, stack_bytes_ + kPage);
      return nullptr;
    }
    bases_.push_back(static_cast<std::byte*>(memory));
  }
  return bases_[index] + kPage + stack_bytes_ - color_bytes(index);
}

bool StackPool::holds(const void* address) const {
  const auto* at = static_cast<const std::byte*>(address);
  return std::ranges::any_of(
      bases_, [&](const std::byte* base) { return at >= base + kPage && at < base + kPage + stack_bytes_; });
}

bool StackPool::is_overflow(const void* address) const {
  const auto* at = static_cast<const std::byte*>(address);
  for (const std::byte* base : bases_) {
    if (at >= base && at < base + kPage) return true;
  }
  return false;
}

}  // namespace gktune

#include "tuner/device/host/execute/block_memory.h"

#include <sys/mman.h>

#include <new>

namespace gktune {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kGuard = 16 * kPage;
constexpr std::size_t kCapacity = (SharedMemory::kMaxBytes + kPage - 1) / kPage * kPage;
constexpr std::size_t kAlignment = 16;

}  // namespace

SharedMemory::SharedMemory() {
  void* memory = mmap(nullptr, kCapacity + kGuard, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  memory_ = static_cast<std::byte*>(memory);
  end_ = memory_ + kCapacity;
  mprotect(end_, kGuard, PROT_NONE);
}

SharedMemory::~SharedMemory() { munmap(memory_, kCapacity + kGuard); }

void* SharedMemory::take(std::size_t bytes) {
  bytes_ = bytes;
  return end_ - (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::span<const std::byte> SharedMemory::taken() const {
  return {end_ - (bytes_ + kAlignment - 1) / kAlignment * kAlignment, bytes_};
}

bool SharedMemory::holds(const void* address) const {
  const auto* at = static_cast<const std::byte*>(address);
  return at >= memory_ && at < end_ + kGuard;
}

long SharedMemory::bytes_past_end(const void* address) const {
  const auto* at = static_cast<const std::byte*>(address);
  const std::byte* taken_end = taken().data() + bytes_;
  return at >= taken_end && at < end_ + kGuard ? at - taken_end : -1;
}

namespace {

constexpr std::size_t kLine = 64;

// Stacks are pages apart, so without this their hot ends would all compete for
// the same few sets of the cache.
std::size_t color_bytes(std::size_t index) { return index * 5 % (kPage / kLine) * kLine; }

// MADV_GUARD_INSTALL of Linux 6.13, which older headers lack.
constexpr int kInstallGuard = 102;

// Makes a page inaccessible. A guard costs a fraction of mprotect, which splits the mapping in two.
bool forbid_page(std::byte* page) {
  return madvise(page, kPage, kInstallGuard) == 0 || mprotect(page, kPage, PROT_NONE) == 0;
}

}  // namespace

StackPool::StackPool(std::size_t stack_bytes)
    : stack_bytes_((stack_bytes + kPage - 1) / kPage * kPage + kPage) {}

StackPool::~StackPool() {
  for (std::byte* mapping : mappings_) munmap(mapping, mapping_bytes());
}

std::size_t StackPool::bytes_per_stack() const { return kPage + stack_bytes_; }

bool StackPool::add_mapping() {
  void* memory = mmap(nullptr, mapping_bytes(), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) return false;
  auto* const mapping = static_cast<std::byte*>(memory);
  for (std::size_t i = 0; i < kStacksPerMapping; ++i) {
    if (!forbid_page(mapping + i * bytes_per_stack())) {
      munmap(memory, mapping_bytes());
      return false;
    }
  }
  mappings_.push_back(mapping);
  return true;
}

void* StackPool::top(std::size_t index) {
  while (mappings_.size() * kStacksPerMapping <= index) {
    if (!add_mapping()) return nullptr;
  }
  std::byte* const base =
      mappings_[index / kStacksPerMapping] + index % kStacksPerMapping * bytes_per_stack();
  return base + bytes_per_stack() - color_bytes(index);
}

std::optional<std::size_t> StackPool::offset(const void* address) const {
  const auto* at = static_cast<const std::byte*>(address);
  for (const std::byte* mapping : mappings_) {
    if (at >= mapping && at < mapping + mapping_bytes())
      return static_cast<std::size_t>(at - mapping) % bytes_per_stack();
  }
  return std::nullopt;
}

bool StackPool::holds(const void* address) const {
  const auto place = offset(address);
  return place && *place >= kPage;
}

bool StackPool::is_overflow(const void* address) const {
  const auto place = offset(address);
  return place && *place < kPage;
}

}  // namespace gktune

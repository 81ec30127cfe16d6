#include "tuner/device/host/execute/shared_memory.h"

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

}  // namespace gktune

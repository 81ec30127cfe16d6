#include "tuner/device/host/execute/guarded_buffer.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "tuner/core/quantity.h"

namespace gktune {
namespace {

std::size_t page_bytes() { return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE)); }

int map_flags(GuardedBuffer::Sharing sharing) {
  return MAP_ANONYMOUS | (sharing == GuardedBuffer::Sharing::shared ? MAP_SHARED : MAP_PRIVATE);
}

std::size_t rounded_up(std::size_t bytes, std::size_t step) { return (bytes + step - 1) / step * step; }

}  // namespace

Result<GuardedBuffer> GuardedBuffer::allocate(std::size_t bytes, Against against, GuardPattern pattern,
                                              Sharing sharing) {
  const std::size_t page = page_bytes();
  const std::size_t room = rounded_up(bytes + kGuardBytes + kAlignment, page);
  void* mapping = ::mmap(nullptr, room + 2 * kZoneBytes, PROT_NONE, map_flags(sharing), -1, 0);
  if (mapping == MAP_FAILED)
    return Error{"no memory for " + format_byte_count(bytes) + ": " + std::strerror(errno)};
  GuardedBuffer buffer;
  buffer.pattern_ = pattern;
  buffer.mapping_ = {static_cast<std::byte*>(mapping), room + 2 * kZoneBytes};
  buffer.room_ = buffer.mapping_.subspan(kZoneBytes, room);
  if (::mprotect(buffer.room_.data(), room, PROT_READ | PROT_WRITE) != 0) {
    return Error{"no memory for " + format_byte_count(bytes) + ": " + std::strerror(errno)};
  }
  buffer.place(bytes, against);
  return buffer;
}

GuardedBuffer::GuardedBuffer(GuardedBuffer&& other) noexcept { *this = std::move(other); }

GuardedBuffer& GuardedBuffer::operator=(GuardedBuffer&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(room_, other.room_);
  std::swap(bytes_, other.bytes_);
  std::swap(pattern_, other.pattern_);
  return *this;
}

GuardedBuffer::~GuardedBuffer() {
  if (!mapping_.empty()) ::munmap(mapping_.data(), mapping_.size());
}

bool GuardedBuffer::has_room_for(std::size_t bytes) const {
  return bytes + kGuardBytes + kAlignment <= room_.size();
}

void GuardedBuffer::place(std::size_t bytes, Against against) {
  const std::size_t offset =
      against == Against::first_page ? 0 : room_.size() - rounded_up(bytes, kAlignment);
  const std::span<std::byte> before = std::exchange(bytes_, room_.subspan(offset, bytes));
  if (!before.empty()) std::memmove(bytes_.data(), before.data(), std::min(bytes, before.size()));
  fill_guards();
}

void GuardedBuffer::fill_guards() {
  fill_guard(front(), pattern_);
  fill_guard(back(), pattern_);
}

void GuardedBuffer::renew() {
  ::madvise(room_.data(), room_.size(), MADV_DONTNEED);
  fill_guards();
}

void GuardedBuffer::protect() { ::mprotect(room_.data(), room_.size(), PROT_READ); }

std::optional<std::string> GuardedBuffer::violation() const {
  if (const auto offset = guard_violation(back(), pattern_))
    return format_byte_count(*offset) + " past its end";
  if (const auto offset = guard_violation(front(), pattern_)) {
    // The nearest write explains the mistake. The zone shows only the farthest.
    return "up to " + format_byte_count(front().size() - *offset) + " before its beginning";
  }
  return std::nullopt;
}

}  // namespace gktune

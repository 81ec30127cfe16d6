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

Result<std::unique_ptr<GuardedBuffer>, Failure> GuardedBuffer::allocate(std::size_t bytes,
                                                                        Placement placement,
                                                                        GuardPattern pattern,
                                                                        Sharing sharing) {
  const std::size_t page = page_bytes();
  const std::size_t room = rounded_up(bytes + kGuardBytes + kAlignment, page);
  const auto no_memory = [&] {
    return Failure{Status::out_of_memory,
                   "no memory for " + format_byte_count(bytes) + ": " + std::strerror(errno)};
  };
  void* mapping = ::mmap(nullptr, room + 2 * kZoneBytes, PROT_NONE, map_flags(sharing), -1, 0);
  if (mapping == MAP_FAILED) return no_memory();
  std::unique_ptr<GuardedBuffer> buffer(new GuardedBuffer());
  buffer->pattern_ = pattern;
  buffer->sharing_ = sharing;
  buffer->mapping_ = {static_cast<std::byte*>(mapping), room + 2 * kZoneBytes};
  buffer->room_ = buffer->mapping_.subspan(kZoneBytes, room);
  if (::mprotect(buffer->room_.data(), room, PROT_READ | PROT_WRITE) != 0) return no_memory();
  buffer->place_in_room(bytes, placement);
  return buffer;
}

GuardedBuffer::~GuardedBuffer() {
  if (!mapping_.empty()) ::munmap(mapping_.data(), mapping_.size());
}

Result<void, Failure> GuardedBuffer::place(std::size_t bytes, Placement placement) {
  if (bytes + kGuardBytes + kAlignment <= room_.size()) {
    place_in_room(bytes, placement);
    return {};
  }
  auto larger = allocate(bytes, placement, pattern_, sharing_);
  if (!larger) return larger.error();
  std::swap(mapping_, (*larger)->mapping_);
  std::swap(room_, (*larger)->room_);
  std::swap(bytes_, (*larger)->bytes_);
  return {};
}

void GuardedBuffer::place_in_room(std::size_t bytes, Placement placement) {
  const std::size_t offset =
      placement == Placement::at_start ? 0 : room_.size() - rounded_up(bytes, kAlignment);
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

void GuardedBuffer::permit(ForkedAccess access) {
  const bool is_read_only = access == ForkedAccess::read && sharing_ == Sharing::shared;
  ::mprotect(room_.data(), room_.size(), is_read_only ? PROT_READ : PROT_READ | PROT_WRITE);
  ::madvise(mapping_.data(), mapping_.size(), access == ForkedAccess::none ? MADV_DONTFORK : MADV_DOFORK);
}

Result<std::optional<std::string>, Failure> GuardedBuffer::take_violation() {
  const auto after = guard_violation(back(), pattern_), before = guard_violation(front(), pattern_);
  if (!after && !before) return std::optional<std::string>();
  // The nearest write explains the mistake. The front zone shows only the farthest.
  std::string where = after
                          ? format_byte_count(*after) + " past its end"
                          : "up to " + format_byte_count(front().size() - *before) + " before its beginning";
  fill_guards();
  return std::optional(std::move(where));
}

}  // namespace gktune

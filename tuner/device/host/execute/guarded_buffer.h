#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "tuner/core/result.h"
#include "tuner/measure/guard.h"

namespace gktune {

// Memory between two inaccessible zones, directly beside one of them: an access past that end is a fault at
// once. The gap before the other zone holds a pattern, which shows writes past that end afterwards.
class GuardedBuffer {
 public:
  enum class Against { last_page, first_page };
  // Every buffer has this alignment; no vector type needs more.
  static constexpr std::size_t kAlignment = 64;
  // Bytes of an inaccessible zone: a wrong index rarely reaches the memory behind it.
  // The zones cost addresses only.
  static constexpr std::size_t kZoneBytes = std::size_t{1} << 20;

  // Shared: a process that is forked later writes to the same memory.
  enum class Sharing { none, shared };
  static Result<GuardedBuffer> allocate(std::size_t bytes, Against against, GuardPattern pattern,
                                        Sharing sharing = Sharing::none);
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&& other) noexcept;
  ~GuardedBuffer();

  // Moves the buffer and its contents within the room.
  void place(std::size_t bytes, Against against);
  bool has_room_for(std::size_t bytes) const;
  std::span<std::byte> bytes() const { return bytes_; }
  GuardPattern pattern() const { return pattern_; }
  // The buffer and its guard zones.
  std::span<const std::byte> mapping() const { return mapping_; }

  // The place of a write outside, if there was one: "4 bytes past its end".
  std::optional<std::string> violation() const;
  // Repairs the guard zones.
  void fill_guards();
  // Replaces memory that a forked process has from its parent by new memory, with other contents.
  void renew();
  // A write becomes a fault.
  void protect();

 private:
  GuardedBuffer() = default;

  std::span<std::byte> front() const { return {room_.data(), bytes_.data()}; }
  std::span<std::byte> back() const { return {bytes_.data() + bytes_.size(), room_.data() + room_.size()}; }

  std::span<std::byte> mapping_;  // the room and its two zones
  std::span<std::byte> room_;
  std::span<std::byte> bytes_;
  GuardPattern pattern_ = 0;
};

}  // namespace gktune

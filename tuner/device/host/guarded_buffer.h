#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "tuner/core/result.h"

namespace gktune {

// Memory between two pages that nothing may touch. It lies against one of them, the rest of the room is
// filled with a pattern: a read or a write past that end is a fault at once, a write past the other one is
// seen afterwards.
class GuardedBuffer {
 public:
  enum class Against { last_page, first_page };
  // What every buffer begins at a multiple of: no vector type asks for more.
  static constexpr std::size_t kAlignment = 64;

  static Result<GuardedBuffer> allocate(std::size_t bytes, Against against);
  GuardedBuffer(GuardedBuffer&& other) noexcept;
  GuardedBuffer& operator=(GuardedBuffer&& other) noexcept;
  ~GuardedBuffer();

  // Moves it within its room, with what it holds.
  void place(std::size_t bytes, Against against);
  bool has_room_for(std::size_t bytes) const;
  std::span<std::byte> bytes() const { return bytes_; }
  // With all that guards it.
  std::span<const std::byte> mapping() const { return mapping_; }

  // What was written outside, if anything was: "4 bytes past its end".
  std::optional<std::string> violation() const;
  // Makes the guard zones whole again.
  void fill_guards();

 private:
  GuardedBuffer() = default;

  std::span<std::byte> front() const { return {room_.data(), bytes_.data()}; }
  std::span<std::byte> back() const { return {bytes_.data() + bytes_.size(), room_.data() + room_.size()}; }

  std::span<std::byte> mapping_;  // the room and its two pages
  std::span<std::byte> room_;
  std::span<std::byte> bytes_;
};

}  // namespace gktune

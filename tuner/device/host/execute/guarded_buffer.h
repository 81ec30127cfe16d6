#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "gktune/result.h"
#include "tuner/device/run/compute_device.h"
#include "tuner/measure/contents.h"

namespace gktune {

// Memory between two inaccessible zones, directly beside one of them: an access past that end is a fault at
// once. The gap before the other zone holds a pattern, which shows writes past that end afterwards.
class GuardedBuffer final : public DeviceBuffer {
 public:
  // Every buffer has this alignment; no vector type needs more.
  static constexpr std::size_t kAlignment = 64;
  // Bytes of an inaccessible zone: a wrong index rarely reaches the memory behind it.
  // The zones cost addresses only.
  static constexpr std::size_t kZoneBytes = std::size_t{1} << 20;

  // Shared: a process that is forked later writes to the same memory.
  enum class Sharing { none, shared };
  static Result<std::unique_ptr<GuardedBuffer>, Failure> allocate(std::size_t bytes, Placement placement,
                                                                  GuardPattern pattern,
                                                                  Sharing sharing = Sharing::none);
  GuardedBuffer(const GuardedBuffer&) = delete;
  GuardedBuffer& operator=(const GuardedBuffer&) = delete;
  ~GuardedBuffer() override;

  std::uintptr_t address() const override { return reinterpret_cast<std::uintptr_t>(bytes_.data()); }
  std::size_t bytes() const override { return bytes_.size(); }
  Result<void, Failure> place(std::size_t bytes, Placement placement) override;
  Result<std::optional<std::string>, Failure> take_violation() override;
  void renew() override;
  void permit(ForkedAccess access) override;
  // The buffer and its guard zones.
  std::span<const std::byte> mapping() const { return mapping_; }

 private:
  GuardedBuffer() = default;

  std::span<std::byte> front() const { return {room_.data(), bytes_.data()}; }
  std::span<std::byte> back() const { return {bytes_.data() + bytes_.size(), room_.data() + room_.size()}; }
  void place_in_room(std::size_t bytes, Placement placement);
  void fill_guards();

  std::span<std::byte> mapping_;  // the room and its two zones
  std::span<std::byte> room_;
  std::span<std::byte> bytes_;
  GuardPattern pattern_ = 0;
  Sharing sharing_ = Sharing::none;
};

}  // namespace gktune

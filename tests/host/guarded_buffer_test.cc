#include "tuner/device/host/execute/guarded_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace gktune {
namespace {

constexpr Placement kPlacements[] = {Placement::at_end, Placement::at_start};

std::unique_ptr<GuardedBuffer> buffer_of(std::size_t bytes, Placement placement) {
  return *GuardedBuffer::allocate(bytes, placement, 5);
}

std::byte* begin(const GuardedBuffer& buffer) { return reinterpret_cast<std::byte*>(buffer.address()); }

TEST(GuardedBuffer, is_aligned_for_every_vector_type) {
  for (const Placement placement : kPlacements) {
    for (const std::size_t bytes : {0u, 1u, 63u, 64u, 4096u, 5000u}) {
      const auto buffer = buffer_of(bytes, placement);
      EXPECT_EQ(buffer->bytes(), bytes);
      EXPECT_EQ(buffer->address() % GuardedBuffer::kAlignment, 0u);
      std::fill_n(begin(*buffer), bytes, std::byte{0});
      EXPECT_EQ(buffer->take_violation().value(), std::nullopt);
    }
  }
}

TEST(GuardedBuffer, a_write_outside_the_buffer_is_found_and_repaired) {
  const auto buffer = buffer_of(4001, Placement::at_end);
  std::byte* past = begin(*buffer) + 4001 + 3;
  *past = ~*past;
  EXPECT_EQ(buffer->take_violation().value(), "3 bytes past its end");
  EXPECT_EQ(buffer->take_violation().value(), std::nullopt);
  std::byte* before = begin(*buffer) - 8;
  *before = ~*before;
  EXPECT_EQ(buffer->take_violation().value(), "up to 8 bytes before its beginning");
}

TEST(GuardedBuffer, moves_within_its_mapping_and_grows_into_another) {
  const auto buffer = buffer_of(5000, Placement::at_end);
  const std::uintptr_t at_the_end = buffer->address();
  const std::byte* mapping = buffer->mapping().data();
  ASSERT_TRUE(buffer->place(5000, Placement::at_start).ok());
  EXPECT_LT(buffer->address(), at_the_end);
  ASSERT_TRUE(buffer->place(100, Placement::at_end).ok());
  EXPECT_GT(buffer->address(), at_the_end);
  EXPECT_EQ(buffer->mapping().data(), mapping);
  ASSERT_TRUE(buffer->place(1 << 20, Placement::at_end).ok());
  EXPECT_EQ(buffer->bytes(), std::size_t{1} << 20);
  EXPECT_EQ(buffer->take_violation().value(), std::nullopt);
}

TEST(GuardedBuffer, lies_between_zones_of_its_own_memory) {
  for (const Placement placement : kPlacements) {
    const auto buffer = buffer_of(5000, placement);
    const auto mapping = buffer->mapping();
    EXPECT_GE(begin(*buffer) - mapping.data(), static_cast<std::ptrdiff_t>(GuardedBuffer::kZoneBytes));
    EXPECT_GE(mapping.data() + mapping.size() - (begin(*buffer) + buffer->bytes()),
              static_cast<std::ptrdiff_t>(GuardedBuffer::kZoneBytes));
  }
}

TEST(GuardedBuffer, reports_memory_that_cannot_be_allocated) {
  const auto buffer = GuardedBuffer::allocate(std::size_t{1} << 60, Placement::at_end, 5);
  ASSERT_FALSE(buffer.ok());
  EXPECT_EQ(buffer.error().status, Status::out_of_memory);
  EXPECT_TRUE(buffer.error().message.starts_with("no memory for 1152921504606846976 bytes"))
      << buffer.error().message;
}

}  // namespace
}  // namespace gktune

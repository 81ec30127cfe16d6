#include "tuner/device/host/execute/guarded_buffer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace gktune {
namespace {

using Against = GuardedBuffer::Against;

GuardedBuffer buffer_of(std::size_t bytes, Against against) {
  auto buffer = GuardedBuffer::allocate(bytes, against, 5);
  EXPECT_TRUE(buffer.ok());
  return std::move(*buffer);
}

TEST(GuardedBuffer, is_aligned_for_every_vector_type) {
  for (Against against : {Against::last_page, Against::first_page}) {
    for (std::size_t bytes : {0u, 1u, 63u, 64u, 4096u, 5000u}) {
      const GuardedBuffer buffer = buffer_of(bytes, against);
      EXPECT_EQ(buffer.bytes().size(), bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.bytes().data()) % GuardedBuffer::kAlignment, 0u);
      std::ranges::fill(buffer.bytes(), std::byte{0});
      EXPECT_EQ(buffer.violation(), std::nullopt);
    }
  }
}

TEST(GuardedBuffer, a_write_outside_the_buffer_is_found_and_repaired) {
  GuardedBuffer buffer = buffer_of(4001, Against::last_page);
  std::byte* past = buffer.bytes().data() + 4001 + 3;
  *past = ~*past;
  EXPECT_EQ(buffer.violation(), "3 bytes past its end");
  buffer.fill_guards();
  EXPECT_EQ(buffer.violation(), std::nullopt);
  std::byte* before = buffer.bytes().data() - 8;
  *before = ~*before;
  EXPECT_EQ(buffer.violation(), "up to 8 bytes before its beginning");
}

TEST(GuardedBuffer, moves_within_its_mapping) {
  GuardedBuffer buffer = buffer_of(5000, Against::last_page);
  const std::byte* at_the_end = buffer.bytes().data();
  buffer.place(5000, Against::first_page);
  EXPECT_LT(buffer.bytes().data(), at_the_end);
  buffer.place(100, Against::last_page);
  EXPECT_GT(buffer.bytes().data(), at_the_end);
  EXPECT_EQ(buffer.violation(), std::nullopt);
  EXPECT_TRUE(buffer.has_room_for(5000));
  EXPECT_FALSE(buffer.has_room_for(1 << 20));
}

TEST(GuardedBuffer, lies_between_zones_of_its_own_memory) {
  for (Against against : {Against::last_page, Against::first_page}) {
    const GuardedBuffer buffer = buffer_of(5000, against);
    const auto mapping = buffer.mapping();
    EXPECT_GE(reinterpret_cast<const std::byte*>(buffer.bytes().data()) - mapping.data(),
              static_cast<std::ptrdiff_t>(GuardedBuffer::kZoneBytes));
    EXPECT_GE(mapping.data() + mapping.size() - (buffer.bytes().data() + buffer.bytes().size()),
              static_cast<std::ptrdiff_t>(GuardedBuffer::kZoneBytes));
  }
}

TEST(GuardedBuffer, reports_memory_that_cannot_be_allocated) {
  const auto buffer = GuardedBuffer::allocate(std::size_t{1} << 60, Against::last_page, 5);
  ASSERT_FALSE(buffer.ok());
  EXPECT_TRUE(buffer.error().message.starts_with("no memory for 1152921504606846976 bytes"))
      << buffer.error().message;
}

}  // namespace
}  // namespace gktune
